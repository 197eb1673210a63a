#pragma once
/// Decides which (token, choice) pairs an expert still has room for.
#include "core/tensor.h"
#include "moe/capacity_rule.h"
#include "moe/router.h"

namespace duet {

/// Which pairs of a shard stay, and how popular each expert was.
struct Kept {
  at::Tensor mask;    ///< [T, k] bool: true where the pair reaches its expert
  at::Tensor counts;  ///< [E] int64: pairs that wanted each expert, before dropping
};

/// Keeps, for each expert, the first pairs in token order up to `rule.limit(T, E, k)`; the rest are dropped, not
/// re-routed (Switch Transformer, section 2.2).
///
/// The pairs are taken token by token, a token's choices best first. Counts are those before dropping, so that
/// imbalance stays visible when capacity hides it. Only `expert` and the number of experts are read.
///
/// @param routing one shard's routing; T may be 0
Kept apply_capacity(const Routing& routing, const CapacityRule& rule);

}  // namespace duet
