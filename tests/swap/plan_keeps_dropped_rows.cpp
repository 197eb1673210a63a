// A wrong plan: dropped pairs are sent like all others.
#include "moe/plan.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept&, const Placement& placement) {
  const auto wanted = expert.reshape({-1});
  const auto order = at::argsort(wanted, /*stable=*/true);
  const auto rows = at::bincount(wanted, {}, placement.experts);
  std::vector<std::int64_t> send_rows(rows.data_ptr<std::int64_t>(), rows.data_ptr<std::int64_t>() + placement.experts);
  const auto position = at::empty_like(wanted).scatter_(0, order, at::arange(wanted.size(0), wanted.options()));
  return {order, position.view(expert.sizes()), std::move(send_rows), placement};
}

}  // namespace duet
