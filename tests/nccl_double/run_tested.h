#pragma once
/// How the tests' programs start NCCL's ranks, over the double or on real GPUs: threads, with the grace that tests
/// take.
#include "comm/nccl/run_nccl.h"
#include "tests/comm/transports.h"

namespace duet::comm {

inline void run_tested_nccl(int world_size, Deadline deadline, bool checked, const Body& body) {
  NcclOptions options;
  options.deadline = deadline;
  options.grace = std::chrono::seconds(20);
  options.checked = checked;
  run_nccl_threads(world_size, options, body);
}

}  // namespace duet::comm
