#pragma once
/// Runs a function on several ranks at once, each a thread of this process.
#include <functional>

#include "comm/threads/rank_threads.h"

namespace duet::comm {

/// Calls `body` on ranks 0 to world_size - 1 and returns when all have returned.
///
/// When a rank throws, the others wake with "rank R failed: ..." and the first error is thrown here: an Error as it is
/// (an InputError keeps its type and exit code), anything else as a RankError with its text.
/// A rank that shows no sign of life for deadline + grace after a failure cannot be ended: then the reason goes to
/// stderr and the process exits with code 3.
/// @throws InputError if world_size < 1
void run_ranks(int world_size, const RunOptions& options, const std::function<void(Communicator&)>& body);

}  // namespace duet::comm
