#include <cstdlib>

#include "comm/mpi/run_mpi.h"

namespace duet::comm {

bool started_by_mpi() {
  // Open MPI's mpirun; anything with PMIx (srun --mpi=pmix, prterun); PMI 1 and 2 (srun, MPICH's mpiexec).
  for (const auto* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(variable) != nullptr) return true;
  }
  return false;
}

}  // namespace duet::comm
