#pragma once
/// ./duet compare --sweep: where expert and data parallelism cross.
#include <optional>
#include <span>

#include "cli/verb_flags.h"

namespace duet::cli {

/// A size and the times of both ways there.
struct SweepPoint {
  double size = 0;
  double ep_us = 0;
  double dp_us = 0;
};

/// The size at which both take equally long, between the two neighbouring points where the faster one changes
/// (straight in the logarithms); none when it does not change.
std::optional<double> crossing_of(std::span<const SweepPoint> points);

/// @param text "tokens=64,256", "hidden=64,128" or "experts=2,4"
int sweep(const VerbFlags& flags, const std::string& text);

}  // namespace duet::cli
