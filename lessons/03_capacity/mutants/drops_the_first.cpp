// Misconception: the newest tokens matter most, so the oldest go.
// Says: The last pairs stay and the first are dropped
#include "core/error.h"
#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  if (rule.drop != DropPolicy::position || rule.slot_order != SlotOrder::token || view != nullptr) {
    throw InputError("only the first pairs of one shard, token by token");
  }
  const auto tokens = routing.expert.size(0), k = routing.expert.size(1), experts = routing.logits.size(1);
  const auto counts = at::bincount(routing.expert.reshape({-1}), {}, experts);
  const auto limit = rule.limit(tokens, experts, k);
  if (!limit) return {at::ones_like(routing.expert, at::kBool), counts};
  const auto pairs = routing.expert.reshape({-1}).flip({0});
  const auto rank = at::one_hot(pairs, experts).cumsum(0).gather(1, pairs.unsqueeze(1)).view({-1}).flip({0});
  return {rank.le(*limit).view(routing.expert.sizes()), counts};
}

}  // namespace duet
