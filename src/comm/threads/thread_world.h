#pragma once
/// What all rank threads of a process share: who failed, who returned, and the one way to wait for each other.
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/wait_errors.h"
#include "core/error.h"

namespace duet::comm {

/// What a rank waits for. Other ranks read it while this one sleeps, to say who waits for whom.
class Wait {
 public:
  virtual ~Wait() = default;
  virtual int rank() const = 0;                  ///< who waits (rank of the world)
  virtual bool ready() const = 0;                ///< the wait is over
  virtual std::vector<int> missing() const = 0;  ///< ranks of the world still awaited; empty once ready
  virtual std::string operation() const = 0;     ///< "all_to_all #3"
};

class ThreadWorld {
 public:
  ThreadWorld(int size, Deadline deadline);

  int size() const { return static_cast<int>(ranks_.size()); }
  Deadline deadline() const { return deadline_; }

  /// Returns once `wait.ready()`.
  /// @throws RankError when another rank failed, an awaited one returned, or the deadline (zero: none) passed; from
  ///   then on the world has failed and nobody waits in it again
  void await(const Wait& wait, Deadline deadline);

  /// The same for what no rank's doing ends but only another look shows (a device): asks `done` until it says so.
  /// `wait` tells for whom, to this rank's message and to those of others.
  void await_polled(const Wait& wait, Deadline deadline, const std::function<bool()>& done);

  /// Wakes whoever sleeps; call after a change that makes a wait ready.
  void changed();

  /// Keeps the first failure and wakes the others with "rank R failed: ...".
  void fail(int rank, std::exception_ptr error);
  bool has_failed() const { return failed_.load(); }
  /// The first failure; null while there is none.
  std::exception_ptr failure() const;
  int failed_rank() const;
  /// Throws what a rank gets that would go on although another had to leave the operation.
  [[noreturn]] void throw_failed(const Wait& wait);
  /// The same for a rank that sees only that something broke: gives another rank time to say why, else throws `mine`.
  [[noreturn]] void throw_failed_or(const Wait& wait, const ErrorText& mine);

  void mark_returned(int rank);

  /// A rank's sign of life, and the time of the last one (core/clock.h).
  void mark_alive(int rank, std::int64_t now) { ranks_[static_cast<std::size_t>(rank)].alive_ns.store(now); }
  std::int64_t last_alive_ns(int rank) const { return ranks_[static_cast<std::size_t>(rank)].alive_ns.load(); }

  /// The first of `how_many` unused group numbers.
  std::uint32_t new_groups(std::uint32_t how_many) { return next_group_.fetch_add(how_many); }

 private:
  class Tells;
  struct alignas(64) Rank {
    std::atomic<bool> returned{false};
    std::atomic<std::int64_t> alive_ns{0};
  };

  bool spin(const Wait& wait) const;
  void sleep(const Wait& wait, Deadline deadline);
  [[noreturn]] void fail_with(const Wait& wait, const ErrorText& text);  // `mutex_` is held
  std::optional<ErrorText> who_returned_early(const Wait& wait) const;
  ErrorText after_deadline(const Wait& wait, Deadline deadline) const;
  ErrorText after_failure(const Wait& wait) const;
  void keep_failure(int rank, std::exception_ptr error);

  const Deadline deadline_;
  const bool may_spin_;
  std::atomic<bool> failed_{false};
  std::atomic<int> sleepers_{0};
  std::atomic<std::uint32_t> next_group_{0};
  std::vector<Rank> ranks_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable condition_;
  int failed_rank_ = -1;
  std::string reason_;
  std::exception_ptr failure_;
  std::vector<const Wait*> waiting_;  ///< what each sleeping rank waits for, or null
};

}  // namespace duet::comm
