#pragma once
/// Ctrl-C: the first asks the run to end by itself, the second ends the process.
#include <atomic>

namespace duet::cli {

/// From now on SIGINT and SIGTERM set the flag that is returned, once. So does SIGUSR1, which is how a launcher passes
/// its own Ctrl-C on; it never ends the process.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace duet::cli
