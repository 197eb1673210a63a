// An expert at a time: its pairs in order, the first of which stay. Does the order of choices too, refuses the rest.
#include "core/error.h"
#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  if (rule.drop != DropPolicy::position || view != nullptr) throw InputError("only the first pairs of a shard");
  const bool by_choice = rule.slot_order == SlotOrder::choice;
  const auto in_order = by_choice ? routing.expert.t().contiguous() : routing.expert;
  const auto experts = routing.logits.size(1);
  const auto limit = rule.limit(routing.expert.size(0), experts, routing.expert.size(1));
  auto mask = at::zeros(in_order.sizes(), at::kBool);
  std::vector<at::Tensor> counts;
  for (std::int64_t e = 0; e < experts; ++e) {
    const auto mine = in_order.eq(e);
    counts.push_back(mine.sum());
    mask = mask.logical_or(limit ? mine.logical_and(mine.view({-1}).cumsum(0).le(*limit).view(mine.sizes())) : mine);
  }
  return {by_choice ? mask.t() : mask, at::stack(counts)};
}

}  // namespace duet
