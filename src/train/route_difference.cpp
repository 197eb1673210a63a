#include "train/route_difference.h"

#include <algorithm>

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

std::optional<RouteDifference> earliest_difference(comm::Communicator& world,
                                                   const std::optional<RouteDifference>& mine, std::int64_t choices) {
  // A row of numbers a rank: step (-1: none), token, mode, the chosen experts, one device's.
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(3 + 2 * choices), -1);
  if (mine) {
    numbers[0] = mine->step;
    numbers[1] = mine->token;
    numbers[2] = static_cast<std::int64_t>(mine->mode);
    std::ranges::copy(mine->expert, numbers.begin() + 3);
    std::ranges::copy(mine->single_expert, numbers.begin() + 3 + choices);
  }
  const auto all = comm::all_gather(world, at::tensor(numbers).unsqueeze(0));
  std::optional<RouteDifference> first;
  for (std::int64_t rank = 0; rank < world.size(); ++rank) {
    const auto* const row = all[rank].const_data_ptr<std::int64_t>();
    if (row[0] < 0 || (first && first->step <= row[0])) continue;
    first = RouteDifference{.step = row[0],
                            .token = row[1],
                            .mode = static_cast<Mode>(row[2]),
                            .expert = {row + 3, row + 3 + choices},
                            .single_expert = {row + 3 + choices, row + 3 + 2 * choices}};
  }
  return first;
}

}  // namespace duet
