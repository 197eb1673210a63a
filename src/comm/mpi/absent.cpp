#include <cstdlib>
#include "comm/mpi/run_mpi.h"
#include "core/error.h"
namespace duet::comm {
bool started_by_mpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }
void run_mpi(const MpiOptions&, const std::function<void(Communicator&)>&) {
  throw InputError("--transport mpi is not in this build");
}
}  // namespace duet::comm
