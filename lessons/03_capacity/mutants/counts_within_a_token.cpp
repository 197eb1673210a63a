// Misconception: cumsum runs along the tokens, whatever the shape (transformers #48293).
// Says: Nothing is dropped
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
  const auto rank = at::one_hot(routing.expert, experts).cumsum(1).gather(2, routing.expert.unsqueeze(2));
  return {rank.squeeze(2).le(*limit), counts};
}

}  // namespace duet
