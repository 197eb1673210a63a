#pragma once
/// What CUDA's and NCCL's result codes mean to a person.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>
#include <string_view>

#include "core/error.h"

namespace duet::comm {

/// @param doing what the rank was about, as in "rank 0, all_reduce #2 with ranks 1, 2"
ErrorText nccl_error(ncclResult_t result, std::string_view call, std::string doing, ncclComm_t comm = nullptr);

/// @throws RankError unless `result` is cudaSuccess
void check_cuda(cudaError_t result, std::string_view call);

/// The NCCL that is linked at run time against the one whose header this was compiled with.
/// @throws RankError where the major version differs or the library is the older one
void check_nccl_version();

}  // namespace duet::comm
