#include "moe/counts.h"

#include "comm/tensors.h"

namespace duet {

Plan exchange_counts(comm::Communicator& group, SendPlan plan) {
  const auto ranks = static_cast<std::int64_t>(plan.placement.ranks);
  const std::vector<std::int64_t> one_row_each(plan.placement.ranks, 1);
  std::vector<std::int64_t> arriving(plan.send_rows.size());
  const auto mine = at::from_blob(plan.send_rows.data(), {ranks, plan.placement.per_rank()}, at::kLong);
  auto theirs = at::from_blob(arriving.data(), mine.sizes(), at::kLong);
  comm::all_to_all_into(group, mine, one_row_each, one_row_each, theirs);
  return {std::move(plan), std::move(arriving)};
}

}  // namespace duet
