// The tests of tests/comm on NCCL, over the double.
#include "tests/gpu/through_device.h"
#include "tests/nccl_double/control.h"
#include "tests/nccl_double/run_tested.h"

int main(int argc, char** argv) {
  using namespace duet;
  const auto run = [](int world_size, comm::Deadline deadline, const comm::Body& body) {
    nccl_double::reset();
    comm::run_tested_nccl(world_size, deadline, /*checked=*/true, body);
  };
  // As tests/gpu/nccl_main.cpp does on real GPUs; here for the copies, so without the tests of what goes wrong.
  const auto run_with_copies = [run](int world_size, comm::Deadline deadline, const comm::Body& body) {
    run(world_size, deadline, [&](comm::Communicator& world) {
      comm::ThroughDevice through_device(world);
      body(through_device);
    });
  };
  comm::chosen_transports().push_back({.name = "nccl", .run = run});
  comm::chosen_transports().push_back({.name = "nccl_with_copies_", .run = run_with_copies, .checks = false});
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
