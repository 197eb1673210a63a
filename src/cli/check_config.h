#pragma once
/// What one flag alone cannot tell: whether the flags fit each other and this machine.
#include "train/config.h"

namespace duet::cli {

/// @throws InputError for the first thing that does not fit, before any rank starts
void check_config(const RunConfig& config);

/// Replaces DeviceKind::automatic by what it means here; where that is the CPU, a line on stderr says why.
/// On GPUs also the transport, unless it was chosen: NCCL where each rank can have a GPU of its own, and threads, which
/// exchange through host memory, where ranks share one; a line on stderr says so.
/// @throws InputError when the configuration wants a GPU and there is none
void settle_device(RunConfig& config, bool transport_chosen);

/// Bytes that a run needs at its peak, about.
double needed_bytes(const RunConfig& config);

}  // namespace duet::cli
