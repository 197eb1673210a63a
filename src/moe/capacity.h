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

/// The routing of the whole batch, for rules of scope `global` (moe/global_view.h gathers it).
struct GlobalView {
  Routing routing;               ///< all tokens, in global order
  std::int64_t first_token = 0;  ///< where this shard's tokens start in it
};

/// Keeps, for each expert, `rule.limit(T, E, k)` pairs; the rest are dropped, not re-routed (Switch Transformer,
/// section 2.2).
///
/// The order of slots is the rule's; by position the first stay, by probability those with the highest gate, by random
/// those with the lowest draw. Counts are those before dropping, so that imbalance stays visible when capacity hides
/// it.
///
/// @param routing one shard's routing; T may be 0. `gate` is read by DropPolicy::probability only, `draw` by random
/// @param view with it, limit and order are the whole batch's, and the mask and counts still this shard's
/// @throws InputError when the rule draws and the routing has no draws
Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view = nullptr);

}  // namespace duet
