// Misconception: first choices and second choices do not meet.
// Says: First and second choices are counted apart
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
  std::vector<at::Tensor> columns;
  for (std::int64_t j = 0; j < k; ++j) {
    const auto column = routing.expert.select(1, j);
    columns.push_back(at::one_hot(column, experts).cumsum(0).gather(1, column.unsqueeze(1)).le(*limit));
  }
  return {at::cat(columns, 1), counts};
}

}  // namespace duet
