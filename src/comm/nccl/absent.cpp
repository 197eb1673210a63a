// In the place of all that calls NCCL, where Duet is built without CUDA.
#include "comm/nccl/run_nccl_launched.h"
#include "core/error.h"

namespace duet::comm {

void run_nccl_launched(int, const NcclOptions&, const std::function<void(Communicator&)>&,
                       const std::function<void(int, const std::string&)>&) {
  throw InputError({.what = "--transport nccl: this build of Duet has no CUDA",
                    .where = "--transport",
                    .usually = "it is the build for machines without a GPU, which is a tenth of the size",
                    .fix = "DUET_PRESET=cuda ./duet compare --transport nccl builds the other one (3 GB to load); or "
                           "leave --transport out: then ranks are threads"});
}

}  // namespace duet::comm
