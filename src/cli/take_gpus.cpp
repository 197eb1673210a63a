#include "cli/take_gpus.h"

#include <algorithm>

#include "cli/interrupt.h"
#include "comm/launch/launch.h"
#include "core/gpu/gpu.h"

namespace duet::cli {

std::vector<GpuLock> take_gpus(const RunConfig& config) {
  if (config.device != DeviceKind::cuda) return {};
  const auto launch = comm::read_launch(comm::process_environment());
  if (launch.local_rank > 0) return {};
  const bool processes = config.transport != comm::Transport::threads && launch.launcher != comm::Launcher::none;
  std::vector<GpuName> gpus;
  for (int gpu = 0; gpu < std::min(gpu::count(), processes ? launch.local_world_size : config.layout.ranks); ++gpu) {
    gpus.push_back({.index = gpu, .id = gpu::id_of(gpu)});
  }
  GpuLockOptions options;
  options.stop = &stop_on_interrupt();
  return lock_gpus(std::move(gpus), options);
}

}  // namespace duet::cli
