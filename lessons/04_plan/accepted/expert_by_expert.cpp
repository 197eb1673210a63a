// No sort: each expert's pairs are looked up, and the groups are joined.
#include "core/error.h"
#include "moe/plan.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  if (expert.ge(placement.experts).any().item<bool>()) throw InputError("no such expert");
  const auto wanted = expert.reshape({-1});
  const auto mask = kept.mask.reshape({-1});
  SendPlan plan;
  std::vector<at::Tensor> groups;
  for (int rank = 0; rank < placement.ranks; ++rank) {
    for (std::int64_t local = 0; local < placement.per_rank(); ++local) {
      groups.push_back(at::logical_not(wanted.ne(placement.first_on(rank) + local)).mul(mask).nonzero().squeeze(1));
      plan.send_rows.push_back(groups.back().size(0));
    }
  }
  plan.order = at::cat(groups);
  plan.position = at::full_like(expert, plan.order.size(0));
  for (std::int64_t row = 0; row < plan.order.size(0); ++row) plan.position.view({-1})[plan.order[row]] = row;
  plan.placement = placement;
  return plan;
}

}  // namespace duet
