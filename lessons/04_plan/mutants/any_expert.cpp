// Misconception: whoever calls me has checked.
// Says: A plan for it would lose the token
#include "moe/plan.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  const auto wanted = expert.reshape({-1});
  const auto mask = kept.mask.reshape({-1});
  std::vector<at::Tensor> groups;
  std::vector<std::int64_t> send_rows;
  for (std::int64_t e = 0; e < placement.experts; ++e) {
    groups.push_back((wanted.eq(e) & mask).nonzero().reshape({-1}));
    send_rows.push_back(groups.back().size(0));
  }
  const auto order = at::cat(groups);
  const auto position = at::full_like(wanted, order.size(0));
  position.scatter_(0, order, at::arange(order.size(0), order.options()));
  return {order, position.view(expert.sizes()), send_rows, placement};
}

}  // namespace duet
