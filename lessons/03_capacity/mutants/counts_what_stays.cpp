// Misconception: a pair that is dropped does not count.
// Says: These are the pairs that stay
#include "core/error.h"
#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  if (rule.drop != DropPolicy::position || rule.slot_order != SlotOrder::token || view != nullptr) {
    throw InputError("only the first pairs of one shard, token by token");
  }
  const auto tokens = routing.expert.size(0), k = routing.expert.size(1), experts = routing.logits.size(1);
  const auto limit = rule.limit(tokens, experts, k);
  if (!limit)
    return {at::ones_like(routing.expert, at::kBool), at::bincount(routing.expert.reshape({-1}), {}, experts)};
  const auto pairs = routing.expert.reshape({-1});
  const auto rank = at::one_hot(pairs, experts).cumsum(0).gather(1, pairs.unsqueeze(1)).view({-1});  // from 1
  const auto mask = rank.le(*limit);
  return {mask.view(routing.expert.sizes()), at::bincount(pairs.masked_select(mask), {}, experts)};
}

}  // namespace duet
