// In the place of all that calls MPI, where CMake found none.
#include "comm/mpi/run_mpi.h"
#include "core/error.h"

namespace duet::comm {

bool mpi_is_built() { return false; }

bool cuda_aware_mpi() { return false; }

void run_mpi(const MpiOptions&, const std::function<void(Communicator&)>&) {
  throw InputError({.what = "this duet was built without MPI",
                    .where = {},
                    .usually = "no MPI was installed when it was built, or it was built with -DDUET_MPI=OFF",
                    .fix = "install Open MPI (apt install libopenmpi-dev) and build again: ./duet setup"});
}

}  // namespace duet::comm
