#pragma once
/// A run in one line.
#include <string>

#include "train/config.h"

namespace duet::cli {

/// What was run: sizes, ranks, precision.
std::string describe(const RunConfig& config);

}  // namespace duet::cli
