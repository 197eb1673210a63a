// The tests of tests/comm on NCCL and real GPUs: world sizes up to as many as there are. Without a GPU it ends with 77,
// which ctest counts as skipped; its last line is the reason.
#include <cstdio>

#include "tests/gpu/through_device.h"
#include "tests/nccl_double/run_tested.h"

int main(int argc, char** argv) {
  using namespace duet;
  int gpus = 0;
  const auto result = cudaGetDeviceCount(&gpus);
  if (result != cudaSuccess || gpus == 0) {
    std::printf("no GPU: %s\n", result == cudaSuccess ? "the driver shows none" : cudaGetErrorString(result));
    return 77;
  }
  const auto run = [](int world_size, comm::Deadline deadline, const comm::Body& body) {
    comm::run_tested_nccl(world_size, deadline, /*checked=*/true, [&](comm::Communicator& world) {
      comm::ThroughDevice through_device(world);
      body(through_device);
    });
  };
  comm::chosen_transports().push_back({.name = "nccl", .run = run, .largest_world_size = gpus, .in_rank_order = false});
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
