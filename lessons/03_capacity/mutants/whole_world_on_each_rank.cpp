// Misconception: each rank may give every expert the whole batch's capacity.
// Says: Every rank gives each expert the capacity of the whole batch
#include "core/error.h"
#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  if (rule.drop != DropPolicy::position || rule.slot_order != SlotOrder::token) {
    throw InputError("only the first pairs, token by token");
  }
  const auto tokens = routing.expert.size(0), k = routing.expert.size(1), experts = routing.logits.size(1);
  const auto counts = at::bincount(routing.expert.reshape({-1}), {}, experts);
  const auto all_tokens = view == nullptr ? tokens : view->routing.expert.size(0);
  const auto limit = rule.limit(all_tokens, experts, k);
  if (!limit) return {at::ones_like(routing.expert, at::kBool), counts};
  const auto pairs = routing.expert.reshape({-1});
  const auto rank = at::one_hot(pairs, experts).cumsum(0).gather(1, pairs.unsqueeze(1)).view({-1});  // from 1
  return {rank.le(*limit).view(routing.expert.sizes()), counts};
}

}  // namespace duet
