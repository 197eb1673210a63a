#include "moe/plan.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  const at::NoGradGuard no_grad;
  const auto experts = placement.experts;
  // Experts lie in blocks, so sorting by expert also sorts by rank. Dropped pairs sort behind the last expert.
  const auto wanted = at::where(kept.mask, expert, experts).view({-1});
  const auto sorted = at::argsort(wanted, /*stable=*/true);  // stable: pairs of one expert stay in token order

  const auto rows = at::bincount(wanted, {}, experts + 1).to(at::kCPU);  // the one wait for a GPU
  std::vector<std::int64_t> send_rows(rows.data_ptr<std::int64_t>(), rows.data_ptr<std::int64_t>() + experts);
  const auto kept_rows = wanted.size(0) - rows[experts].item<std::int64_t>();

  const auto row = at::arange(wanted.size(0), wanted.options());
  const auto position = at::empty_like(wanted).scatter_(0, sorted, row).clamp_max_(kept_rows);
  return {sorted.narrow(0, 0, kept_rows), position.view(expert.sizes()), std::move(send_rows), placement};
}

}  // namespace duet
