#pragma once
/// How many rows will arrive: ranks tell each other before the rows move.
#include "comm/communicator.h"
#include "moe/plan.h"

namespace duet {

/// Completes a plan: each rank learns how many rows every peer has for each expert here.
///
/// @param group the expert-parallel group, as many ranks as the placement has
Plan exchange_counts(comm::Communicator& group, SendPlan plan);

}  // namespace duet
