#pragma once
/// The threads of ranks: how they are started, waited for, and what happens to one that cannot be ended.
#include <functional>

#include "comm/threads/thread_world.h"

namespace duet::comm {

struct RunOptions {
  Deadline deadline = std::chrono::seconds(30);  ///< of every wait; zero: none. None holds under a debugger
  Deadline grace = std::chrono::seconds(2);      ///< more, after a failure, for a rank that computes
};

/// Calls `body(rank)` for every rank of `world`, each in a thread of its own, and returns when all have returned.
///
/// What a rank throws becomes the world's failure; the first one is thrown here: an Error as it is, anything else as a
/// RankError with its text. A rank that gave no sign of life (ThreadWorld::mark_alive) for deadline + grace after a
/// failure cannot be ended: then the reason goes to stderr and the process exits with code 3.
void run_rank_threads(ThreadWorld& world, const RunOptions& options, const std::function<void(int rank)>& body);

}  // namespace duet::comm
