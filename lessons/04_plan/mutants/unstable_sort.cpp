// Misconception: equal keys stay in order in any sort.
// Says: A sort that is not stable
#include "moe/plan.h"

#include <algorithm>

#include "core/error.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  if (expert.numel() > 0 && expert.max().item<std::int64_t>() >= placement.experts) throw InputError("no such expert");
  const auto wanted = at::where(kept.mask, expert, placement.experts).view({-1});
  const auto sorted = at::arange(wanted.size(0), wanted.options());
  const auto* key = wanted.data_ptr<std::int64_t>();
  std::sort(sorted.data_ptr<std::int64_t>(), sorted.data_ptr<std::int64_t>() + sorted.numel(),
            [&](std::int64_t a, std::int64_t b) { return key[a] < key[b]; });
  const auto counts = at::bincount(wanted, {}, placement.experts + 1).narrow(0, 0, placement.experts);
  const auto n = counts.sum().item<std::int64_t>();
  const auto order = sorted.narrow(0, 0, n);
  const auto row = at::arange(wanted.size(0), wanted.options());
  const auto position = at::empty_like(wanted).scatter_(0, sorted, row).clamp_max_(n);
  std::vector<std::int64_t> send_rows(counts.data_ptr<std::int64_t>(),
                                      counts.data_ptr<std::int64_t>() + counts.numel());
  return {order, position.view(expert.sizes()), send_rows, placement};
}

}  // namespace duet
