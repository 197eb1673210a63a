#pragma once
/// The comparison as a table.
#include <string>

#include "train/compare.h"

namespace duet::cli {

/// The three modes side by side, then what they share and the proof that they agree. At most 100 columns.
std::string compare_table(const CompareResult& result);

/// How far apart two modes' routing decisions first were, in words.
std::string describe(const RouteDifference& difference);

}  // namespace duet::cli
