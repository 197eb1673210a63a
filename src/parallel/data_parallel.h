#pragma once
/// Data parallelism: every rank holds the whole model, and gradients travel.
#include "parallel/layout.h"

namespace duet {

/// The layout of `world` ranks that each hold all experts. With one rank it is the single device.
Layout data_parallel(int world, std::int64_t experts);

}  // namespace duet
