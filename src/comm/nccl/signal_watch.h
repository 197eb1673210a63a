#pragma once
/// The watch of a rank that is a process of its own.
#include "comm/nccl/signal.h"
#include "comm/nccl/watch.h"

namespace duet::comm {

/// Knows of the others only what `signal` says: a rank that returned early or is late shows by the deadline.
std::shared_ptr<Watch> make_signal_watch(std::shared_ptr<Signal> signal, int rank);

}  // namespace duet::comm
