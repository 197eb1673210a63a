#pragma once
/// The random numbers of a layer's router, keyed by (seed, step, layer, global token index): the same for a token on
/// every layout, and independent of the order of drawing.
#include "moe/layer.h"
#include "parallel/shard.h"
#include "train/config.h"

namespace duet {

/// Draws what the configuration asks for; the rest stays undefined. On the CPU, the same on every device, then moved.
RouterDraws draw_router(const RunConfig& config, std::int64_t step, std::int64_t layer, const ShardRange& shards,
                        const at::TensorOptions& options);

}  // namespace duet
