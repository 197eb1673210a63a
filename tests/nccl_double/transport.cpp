// The tests of tests/comm run on NCCL, over the double.
#include "comm/nccl/run_nccl.h"
#include "tests/comm/transports.h"
#include "tests/nccl_double/control.h"

namespace duet::comm {

std::vector<Transport> transports_of_this_program() {
  const auto run = [](int world_size, Deadline deadline, const Body& body) {
    nccl_double::reset();
    run_nccl_threads(world_size,
                     {.deadline = deadline, .grace = std::chrono::seconds(20), .checked = true, .devices = {}}, body);
  };
  return {{"nccl", run}};
}

}  // namespace duet::comm
