// Plain loops over accessors: count, running sum, then place each pair in its group.
#include "core/error.h"
#include "moe/plan.h"

namespace duet {

SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  const auto tokens = expert.size(0);
  const auto top_k = expert.size(1);
  const auto wanted = expert.accessor<std::int64_t, 2>();
  const auto stays = kept.mask.accessor<bool, 2>();

  std::vector<std::int64_t> send_rows(static_cast<std::size_t>(placement.experts), 0);
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t c = 0; c < top_k; ++c) {
      if (!stays[t][c]) continue;
      if (wanted[t][c] < 0 || wanted[t][c] >= placement.experts) throw InputError("no such expert");
      ++send_rows[static_cast<std::size_t>(wanted[t][c])];
    }
  }
  std::vector<std::int64_t> next;  // the row that the next pair of each expert gets
  std::int64_t rows = 0;
  for (const auto count : send_rows) {
    next.push_back(rows);
    rows += count;
  }
  auto order = at::empty({rows}, at::kLong);
  auto position = at::full({tokens, top_k}, rows, at::kLong);
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t c = 0; c < top_k; ++c) {
      if (!stays[t][c]) continue;
      const auto row = next[static_cast<std::size_t>(wanted[t][c])]++;
      order.accessor<std::int64_t, 1>()[row] = t * top_k + c;
      position.accessor<std::int64_t, 2>()[t][c] = row;
    }
  }
  return {order, position, send_rows, placement};
}

}  // namespace duet
