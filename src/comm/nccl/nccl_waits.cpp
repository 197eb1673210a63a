#include "comm/nccl/nccl_waits.h"

#include <fmt/ranges.h>

namespace duet::comm {

std::string doing(const NcclGroup& group, const Wait& wait) {
  std::vector<int> peers;
  for (const int rank : group.ranks()) {
    if (rank != wait.rank()) peers.push_back(rank);
  }
  auto self = fmt::format("rank {} in {}", wait.rank(), wait.operation());
  if (peers.empty()) return self;
  return fmt::format("{} with {} {}", self, peers.size() == 1 ? "rank" : "ranks", fmt::join(peers, ", "));
}

}  // namespace duet::comm
