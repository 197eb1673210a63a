#pragma once
/// Starts NCCL's ranks as they were launched.
#include "comm/nccl/run_nccl.h"

namespace duet::comm {

/// Under a launcher this process is one rank, on the GPU of its local rank; the ranks meet through torch's store
/// (comm/launch/store.h), which gives NCCL its unique id and carries the news of failures. Without one, `ranks` threads
/// of this process, a GPU each. May be called several times.
/// @param on_failure of a process only: called with its rank and reason before the others are told; must not throw
/// @throws InputError where Duet was built without CUDA, or `ranks` are not as many as were launched
void run_nccl_launched(int ranks, const NcclOptions& options, const std::function<void(Communicator&)>& body,
                       const std::function<void(int rank, const std::string& reason)>& on_failure);

}  // namespace duet::comm
