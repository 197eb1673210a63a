#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule) {
  const at::NoGradGuard no_grad;
  const auto experts = routing.logits.size(1);
  const auto pairs = routing.expert.reshape({-1});  // [T*k], token by token
  const auto limit = rule.limit(routing.expert.size(0), experts, routing.expert.size(1));
  if (!limit) return {at::ones_like(routing.expert, at::kBool), at::bincount(pairs, {}, experts)};

  const auto wanted = at::one_hot(pairs, experts);                             // [T*k, E]
  const auto rank_in_expert = wanted.cumsum(0).gather(1, pairs.unsqueeze(1));  // 1 for an expert's first pair
  const auto mask = rank_in_expert.le(*limit).view(routing.expert.sizes());
  return {mask, wanted.sum(0)};
}

}  // namespace duet
