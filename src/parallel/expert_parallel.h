#pragma once
/// Expert parallelism: each rank holds different experts, and tokens travel.
#include "parallel/layout.h"

namespace duet {

/// The layout of `world` ranks that share the experts: router on every rank, E / world experts on each.
Layout expert_parallel(int world, std::int64_t experts);

}  // namespace duet
