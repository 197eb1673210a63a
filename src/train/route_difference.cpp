#include "train/route_difference.h"

#include "comm/tensors.h"

namespace duet {

namespace {

std::vector<std::int64_t> row(const at::Tensor& expert, std::int64_t token) {
  const auto choices = expert[token].contiguous();
  return {choices.data_ptr<std::int64_t>(), choices.data_ptr<std::int64_t>() + choices.numel()};
}

// This rank's rows of what is in global order.
at::Tensor own_rows(const at::Tensor& global, const std::vector<ShardRange>& parts) {
  std::vector<at::Tensor> rows;
  rows.reserve(parts.size());
  for (const auto& part : parts) rows.push_back(global.narrow(0, part.first_token, part.local_tokens()));
  return at::cat(rows);
}

std::int64_t global_token(std::int64_t row_number, const std::vector<ShardRange>& parts) {
  for (const auto& part : parts) {
    if (row_number < part.local_tokens()) return part.first_token + row_number;
    row_number -= part.local_tokens();
  }
  return -1;
}

}  // namespace

std::optional<RouteDifference> first_route_difference(comm::Communicator& world, Mode mode,
                                                      const std::vector<RankStepResult>& mine,
                                                      const std::vector<RankStepResult>& single,
                                                      const std::vector<ShardRange>& parts) {
  std::optional<RouteDifference> first;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto k = mine[i].expert.size(1);
    const auto tokens = parts.front().global_tokens;
    auto reference = single.empty() ? at::empty({tokens, k}, at::kLong) : single[i].expert.contiguous();
    comm::broadcast(world, reference, /*root=*/0);
    if (first) continue;  // the broadcast is collective, so it goes on
    const auto own = own_rows(reference, parts);
    const auto differs = own.ne(mine[i].expert).any(1);
    if (!differs.any().item<bool>()) continue;
    const auto token = differs.to(at::kInt).argmax().item<std::int64_t>();
    first = RouteDifference{.step = mine[i].step,
                            .token = global_token(token, parts),
                            .mode = mode,
                            .expert = row(mine[i].expert, token),
                            .single_expert = row(own, token)};
  }
  return first;
}

}  // namespace duet
