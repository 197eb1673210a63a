#include "train/route_difference.h"

#include "comm/tensors.h"

namespace duet {

namespace {

std::vector<std::int64_t> row(const at::Tensor& expert, std::int64_t token) {
  const auto choices = expert[token].contiguous();
  return {choices.data_ptr<std::int64_t>(), choices.data_ptr<std::int64_t>() + choices.numel()};
}

}  // namespace

std::optional<RouteDifference> first_route_difference(comm::Communicator& world, Mode mode,
                                                      const std::vector<RankStepResult>& mine,
                                                      const std::vector<RankStepResult>& single,
                                                      const ShardRange& shards) {
  std::optional<RouteDifference> first;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto k = mine[i].expert.size(1);
    auto reference = single.empty() ? at::empty({shards.global_tokens, k}, at::kLong) : single[i].expert.contiguous();
    comm::broadcast(world, reference, /*root=*/0);
    if (first) continue;  // the broadcast is collective, so it goes on
    const auto own = reference.narrow(0, shards.first_token, mine[i].expert.size(0));
    const auto differs = own.ne(mine[i].expert).any(1);
    if (!differs.any().item<bool>()) continue;
    const auto token = differs.to(at::kInt).argmax().item<std::int64_t>();
    first = RouteDifference{.step = mine[i].step,
                            .token = shards.first_token + token,
                            .mode = mode,
                            .expert = row(mine[i].expert, token),
                            .single_expert = row(own, token)};
  }
  return first;
}

}  // namespace duet
