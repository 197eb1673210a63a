#pragma once
/// A step's time in the three parts that a sentence can be about.
#include <array>
#include <string>

#include "trace/breakdown.h"

namespace duet::cli {

enum class Part { exchange, synchronising, computing };
constexpr std::size_t part_count = 3;

/// Mean microseconds.
struct PartTime {
  double us = 0;
  double wait_us = 0;  ///< of `us`: for the latest peer
};

/// Indexed by Part; they add up to the mean step. An exchange or all-reduce is the communication alone, the work around
/// it counts as computing.
std::array<PartTime, part_count> parts_of(const trace::Breakdown& breakdown);

/// The phase whose own work differs most between two modes, and its mean time in each.
struct WorkDifference {
  std::string phase;  ///< empty: no phase did any work
  double a_us = 0;
  double b_us = 0;
};
/// @param sign 1: where `a` works longer, -1: where `b` does
WorkDifference largest_work_difference(const trace::Breakdown& a, const trace::Breakdown& b, int sign);

}  // namespace duet::cli
