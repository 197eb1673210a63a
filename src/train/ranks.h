#pragma once
/// Starts the ranks of a run, and says which layout each mode has on them.
#include <functional>

#include "comm/communicator.h"
#include "parallel/layout.h"
#include "train/config.h"

namespace duet {

/// The layout of `mode`: EP as the configuration's mesh says (unless told otherwise, as many ranks share the experts
/// as divide their number), DP over all ranks, or one device.
/// @throws InputError when the ranks do not fit the mesh, or the experts the ranks
Layout layout_of(const RunConfig& config, Mode mode);

/// How long a rank waits for another in this run; zero: for ever.
comm::Deadline deadline_of(const RunConfig& config);

/// Runs `body` on config.layout.ranks thread ranks, with the run's deadline and algorithms. Each has one intra-op
/// thread: a rank stands for a device, and two that share the cores by threads of their own would not be comparable.
/// With --device cuda, the rank's GPU is its thread's current one (train/device.h).
void run_on_ranks(const RunConfig& config, const std::function<void(comm::Communicator&)>& body);

}  // namespace duet
