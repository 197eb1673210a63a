#pragma once
/// One run at a time on a machine's GPUs.
#include <vector>

#include "core/gpu_lock.h"
#include "train/config.h"

namespace duet::cli {

/// Waits until no other run holds a GPU that this one will use, telling who does, and holds them. Nothing on the CPU,
/// and on all but the first of this host's ranks where they are processes.
/// @throws RankError when Ctrl-C ended the wait
std::vector<GpuLock> take_gpus(const RunConfig& config);

}  // namespace duet::cli
