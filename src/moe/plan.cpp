#include "moe/plan.h"

#include "core/error.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  const at::NoGradGuard no_grad;
  const auto experts = placement.experts;
  // Experts lie in blocks, so sorting by expert also sorts by rank. Dropped pairs sort behind all others.
  const auto dropped = experts + 1;  // not `experts`: that would be an expert outside the placement
  const auto wanted = at::where(kept.mask, expert, dropped).view({-1});
  const auto sorted = at::argsort(wanted, /*stable=*/true);  // stable: pairs of one expert stay in token order

  const auto rows = at::bincount(wanted, {}, dropped + 1).to(at::kCPU);  // the one wait for a GPU
  if (rows.size(0) > dropped + 1 || rows[experts].item<std::int64_t>() != 0) {
    throw InputError("a token chose an expert that the placement does not have");
  }
  std::vector<std::int64_t> send_rows(rows.data_ptr<std::int64_t>(), rows.data_ptr<std::int64_t>() + experts);
  const auto kept_rows = wanted.size(0) - rows[dropped].item<std::int64_t>();

  const auto row = at::arange(wanted.size(0), wanted.options());
  const auto position = at::empty_like(wanted).scatter_(0, sorted, row).clamp_max_(kept_rows);
  return {sorted.narrow(0, 0, kept_rows), position.view(expert.sizes()), std::move(send_rows), placement};
}

}  // namespace duet
