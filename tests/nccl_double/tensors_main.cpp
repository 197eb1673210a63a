// Tests with tensors on NCCL, over the double.
#include "tests/nccl_double/control.h"
#include "tests/nccl_double/on_host.h"
#include "tests/nccl_double/run_tested.h"

int main(int argc, char** argv) {
  using namespace duet;
  const auto run = [](int world_size, comm::Deadline deadline, const comm::Body& body) {
    nccl_double::reset();
    comm::run_tested_nccl(world_size, deadline, /*checked=*/false, [&](comm::Communicator& world) {
      comm::OnHost on_host(world);
      body(on_host);
    });
  };
  comm::chosen_transports().push_back({.name = "nccl", .run = run, .checks = false});
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
