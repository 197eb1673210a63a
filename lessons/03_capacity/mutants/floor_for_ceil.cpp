// Misconception: whole-number division is good enough for a capacity.
// Says: The capacity is rounded down
#include <algorithm>

#include "core/error.h"
#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  if (rule.drop != DropPolicy::position || rule.slot_order != SlotOrder::token || view != nullptr) {
    throw InputError("only the first pairs of one shard, token by token");
  }
  const auto tokens = routing.expert.size(0), k = routing.expert.size(1), experts = routing.logits.size(1);
  const auto counts = at::bincount(routing.expert.reshape({-1}), {}, experts);
  std::optional<std::int64_t> limit;
  if (rule.factor) {
    const auto places = rule.factor->numerator * k * tokens / (rule.factor->denominator * experts);
    limit = std::max(rule.minimum, places);
  }
  if (!limit) return {at::ones_like(routing.expert, at::kBool), counts};
  const auto pairs = routing.expert.reshape({-1});
  const auto rank = at::one_hot(pairs, experts).cumsum(0).gather(1, pairs.unsqueeze(1)).view({-1});  // from 1
  return {rank.le(*limit).view(routing.expert.sizes()), counts};
}

}  // namespace duet
