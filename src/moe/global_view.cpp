#include "moe/global_view.h"

#include <algorithm>
#include <numeric>

#include "comm/tensors.h"

namespace duet {

namespace {

// [sum of rank_tokens, k] from [T, k]: padded to equal parts, gathered, and the padding cut out.
at::Tensor gather_uneven(comm::Communicator& world, const at::Tensor& mine,
                         const std::vector<std::int64_t>& rank_tokens) {
  const auto largest = *std::ranges::max_element(rank_tokens);
  auto padded = at::zeros({largest, mine.size(1)}, mine.options());
  padded.narrow(0, 0, mine.size(0)).copy_(mine);
  const auto gathered = comm::all_gather(world, padded);
  std::vector<at::Tensor> parts;
  for (std::size_t rank = 0; rank < rank_tokens.size(); ++rank) {
    parts.push_back(gathered.narrow(0, static_cast<std::int64_t>(rank) * largest, rank_tokens[rank]));
  }
  return at::cat(parts);
}

}  // namespace

GlobalView gather_routing(comm::Communicator& world, const Routing& routing,
                          const std::vector<std::int64_t>& rank_tokens) {
  const at::NoGradGuard no_grad;
  const auto before = rank_tokens.begin() + world.rank();
  GlobalView view{.routing = {}, .first_token = std::accumulate(rank_tokens.begin(), before, std::int64_t{0})};
  view.routing.expert = gather_uneven(world, routing.expert, rank_tokens);
  view.routing.gate = gather_uneven(world, routing.gate.detach().contiguous(), rank_tokens);
  if (routing.draw.defined()) view.routing.draw = gather_uneven(world, routing.draw, rank_tokens);
  return view;
}

}  // namespace duet
