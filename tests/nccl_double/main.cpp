// The tests of tests/comm on NCCL, over the double.
#include "comm/nccl/run_nccl.h"
#include "tests/comm/transports.h"
#include "tests/nccl_double/control.h"

int main(int argc, char** argv) {
  using namespace duet;
  const auto run = [](int world_size, comm::Deadline deadline, const comm::Body& body) {
    nccl_double::reset();
    comm::NcclOptions options;
    options.deadline = deadline;
    options.grace = std::chrono::seconds(20);
    options.checked = true;
    run_nccl_threads(world_size, options, body);
  };
  comm::chosen_transports().push_back({.name = "nccl", .run = run});
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
