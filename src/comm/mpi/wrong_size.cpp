#include "comm/mpi/wrong_size.h"

#include <fmt/format.h>

namespace duet::comm {

ErrorText wrong_size_error(const WrongSize& wrong, const MpiGroup& group, const std::string& operation) {
  const int me = group.world->rank();
  const int peer = group.world_rank(wrong.peer);
  const auto came = wrong.came < 0 ? "more" : fmt::format("{}", wrong.came);
  return {.what = fmt::format("rank {} would receive {} bytes from rank {}, but rank {} sends {}", me, wrong.expected,
                              peer, peer, came),
          .where = fmt::format("{} on rank {}", operation, me),
          .usually = "the ranks do not agree about rows, shape or dtype, or call different operations",
          .fix = "run again in checked mode, which names what differs before data moves"};
}

}  // namespace duet::comm
