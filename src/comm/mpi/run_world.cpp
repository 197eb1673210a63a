#include "comm/mpi/run_world.h"

#include <numeric>

#include "comm/mpi/mpi_communicator.h"

namespace duet::comm {

WorldEnd run_world(MPI_Comm parent, const MpiOptions& options, const std::function<void(Communicator&)>& body,
                   std::function<void(const MpiFailure&)> on_own_failure) {
  const auto world = std::make_shared<MpiWorld>(parent, options, std::move(on_own_failure));
  std::vector<int> ranks(static_cast<std::size_t>(world->size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto group = std::make_shared<MpiGroup>(world, MpiHandle::duplicate(parent), std::move(ranks), 0);
  std::exception_ptr error;
  try {
    const auto comm = make_mpi_communicator(group);
    body(*comm);
  } catch (...) {
    error = std::current_exception();
  }
  world->leave(error);
  world->await_departures(options.grace);
  return {.failure = world->failure(), .speaks = world->speaks(), .refused_alike = world->all_refused_alike()};
}

}  // namespace duet::comm
