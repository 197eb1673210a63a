// What a plan's counts add up to. Apart from moe/plan.cpp, since that file is a lesson's unit and these are not.
#include <numeric>

#include "moe/plan.h"

namespace duet {

namespace {

std::vector<std::int64_t> sum_blocks(const std::vector<std::int64_t>& counts, std::int64_t block) {
  std::vector<std::int64_t> sums;
  for (auto from = counts.begin(); from != counts.end(); from += block) {
    sums.push_back(std::accumulate(from, from + block, std::int64_t{0}));
  }
  return sums;
}

}  // namespace

at::Tensor SendPlan::tokens() const { return top_k() == 1 ? order : at::div(order, top_k(), "floor"); }

std::int64_t Plan::received() const {
  return std::accumulate(receive_rows.begin(), receive_rows.end(), std::int64_t{0});
}

std::vector<std::int64_t> Plan::rows_to_ranks() const { return sum_blocks(send_rows, placement.per_rank()); }

std::vector<std::int64_t> Plan::rows_from_ranks() const { return sum_blocks(receive_rows, placement.per_rank()); }

std::vector<std::int64_t> Plan::rows_of_experts() const {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(placement.per_rank()), 0);
  for (std::size_t i = 0; i < receive_rows.size(); ++i) rows[i % rows.size()] += receive_rows[i];
  return rows;
}

}  // namespace duet
