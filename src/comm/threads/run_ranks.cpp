#include "comm/threads/run_ranks.h"

#include <fmt/format.h>

#include <numeric>

#include "comm/threads/thread_communicator.h"

namespace duet::comm {

void run_ranks(int world_size, const RunOptions& options, const std::function<void(Communicator&)>& body) {
  if (world_size < 1) throw InputError(fmt::format("{} ranks: at least one is needed", world_size));
  const auto world = std::make_shared<ThreadWorld>(world_size, options.deadline);
  std::vector<int> ranks(static_cast<std::size_t>(world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto group = std::make_shared<Group>(world, ranks, world->new_groups(1));
  run_rank_threads(*world, options, [&](int rank) {
    const auto comm = make_thread_communicator(group, rank);
    body(*comm);
  });
}

}  // namespace duet::comm
