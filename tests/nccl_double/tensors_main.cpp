// Tests with tensors on NCCL, over the double.
#include "comm/nccl/run_nccl.h"
#include "tests/comm/transports.h"
#include "tests/nccl_double/control.h"
#include "tests/nccl_double/on_host.h"

int main(int argc, char** argv) {
  using namespace duet;
  const auto run = [](int world_size, comm::Deadline deadline, const comm::Body& body) {
    nccl_double::reset();
    comm::NcclOptions options;
    options.deadline = deadline;
    options.grace = std::chrono::seconds(20);
    run_nccl_threads(world_size, options, [&](comm::Communicator& world) {
      comm::OnHost on_host(world);
      body(on_host);
    });
  };
  comm::chosen_transports().push_back({.name = "nccl", .run = run, .checks = false});
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
