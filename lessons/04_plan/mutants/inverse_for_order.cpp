// Misconception: which of the two is called order does not matter.
// Says: What you have here is position
#include "moe/plan.h"

#include "core/error.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  if (expert.numel() > 0 && expert.max().item<std::int64_t>() >= placement.experts) throw InputError("no such expert");
  const auto wanted = at::where(kept.mask, expert, placement.experts).view({-1});
  const auto sorted = at::argsort(wanted, /*stable=*/true);
  const auto counts = at::bincount(wanted, {}, placement.experts + 1).narrow(0, 0, placement.experts);
  const auto n = counts.sum().item<std::int64_t>();
  const auto order =
      at::empty_like(wanted).scatter_(0, sorted, at::arange(wanted.size(0), wanted.options())).narrow(0, 0, n);
  const auto position = sorted.clamp_max(n);
  std::vector<std::int64_t> send_rows(counts.data_ptr<std::int64_t>(),
                                      counts.data_ptr<std::int64_t>() + counts.numel());
  return {order, position.view(expert.sizes()), send_rows, placement};
}

}  // namespace duet
