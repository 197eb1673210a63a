#pragma once
/// How a rank that waits on its device learns what happened to the others: over shared memory between threads, over a
/// Signal between processes.
#include <functional>
#include <memory>

#include "comm/nccl/group_progress.h"
#include "comm/threads/thread_world.h"

namespace duet::comm {

class Watch {
 public:
  virtual ~Watch() = default;

  /// This rank does something.
  virtual void mark_alive() = 0;
  /// Asks `done` until it says so.
  /// @throws RankError when another rank failed, an awaited one is known to have returned, or the deadline passed
  virtual void await(const Wait& wait, Deadline deadline, const std::function<bool()>& done) = 0;
  virtual bool has_failed() = 0;
  /// This rank failed; the first failure of the run is kept and wakes the others.
  virtual void fail(std::exception_ptr error) = 0;
  /// Throws "rank R failed: ..." of another rank, which is given a moment to say why; `mine` if none does.
  [[noreturn]] virtual void throw_failed_or(const Wait& wait, const ErrorText& mine) = 0;
  /// What the ranks of group `number` share of their progress; null between processes.
  virtual std::shared_ptr<GroupProgress> progress(std::uint32_t number, int size) = 0;
};

}  // namespace duet::comm
