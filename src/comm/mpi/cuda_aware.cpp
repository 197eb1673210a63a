#include <mpi.h>
#if __has_include(<mpi-ext.h>)  // Open MPI's and those made from it
#include <mpi-ext.h>
#endif

#include "comm/mpi/run_mpi.h"

namespace duet::comm {

bool cuda_aware_mpi() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace duet::comm
