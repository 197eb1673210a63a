#pragma once
/// Which device a run and each of its ranks computes on.
#include <string>

#include "core/tensor.h"
#include "train/config.h"

namespace duet {

struct DeviceChoice {
  DeviceKind kind = DeviceKind::cpu;  ///< cpu or cuda
  std::string note;                   ///< a line for a person where `automatic` fell to the CPU
};

/// What `wanted` means on this machine.
/// @param flag what asked for it, for the error
/// @throws InputError when it is cuda and there is none: it says how to build with CUDA, or what the driver lacks
DeviceChoice choose_device(DeviceKind wanted, const std::string& flag = "--device cuda");

/// The CPU, or the rank's GPU: ranks take turns where there are fewer GPUs than ranks, so that one GPU can play all.
/// @param rank the rank on this host
/// @throws InputError as choose_device does
at::Device device_of_rank(const RunConfig& config, int rank);

/// The device of the rank whose thread this is (start_rank_on).
at::Device device_here(const RunConfig& config);

/// Prepares the calling thread to be a rank on `device`. Backward stays in the thread: torch would run those of all
/// ranks that share a GPU in one thread, where the first that waits for the others waits for ever.
void start_rank_on(const at::Device& device);

}  // namespace duet
