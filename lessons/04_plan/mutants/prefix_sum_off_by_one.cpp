// Misconception: a group starts at the running sum of the counts.
// Says: your prefix sum counts the group's own rows too
#include "moe/plan.h"

#include "core/error.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  if (expert.numel() > 0 && expert.max().item<std::int64_t>() >= placement.experts) throw InputError("no such expert");
  const auto wanted = at::where(kept.mask, expert, placement.experts).view({-1});
  const auto sorted = at::argsort(wanted, /*stable=*/true);
  const auto counts = at::bincount(wanted, {}, placement.experts + 1).narrow(0, 0, placement.experts);
  const auto n = counts.sum().item<std::int64_t>();
  const auto order = sorted.narrow(0, 0, n);
  const auto start = counts.cumsum(0);  // should be cumsum - counts
  const auto position = at::full_like(wanted, n);
  std::vector<std::int64_t> seen(static_cast<std::size_t>(placement.experts), 0);
  for (std::int64_t pair = 0; pair < wanted.size(0); ++pair) {
    const auto to = wanted[pair].item<std::int64_t>();
    if (to == placement.experts) continue;
    position[pair] = start[to].item<std::int64_t>() + seen[static_cast<std::size_t>(to)]++;
  }
  std::vector<std::int64_t> send_rows(counts.data_ptr<std::int64_t>(),
                                      counts.data_ptr<std::int64_t>() + counts.numel());
  return {order, position.view(expert.sizes()), send_rows, placement};
}

}  // namespace duet
