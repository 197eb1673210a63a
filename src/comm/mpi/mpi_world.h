#pragma once
/// What a process knows of all ranks: who failed, who left, and the one way to wait for them.
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comm/mpi/notices.h"
#include "comm/mpi/run_mpi.h"
#include "comm/wait_errors.h"
#include "core/error.h"

namespace duet::comm {

/// What a rank waits for.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual bool ready() = 0;             ///< lets it get on; throws RankError if it cannot any more
  virtual Waiting waiting() const = 0;  ///< who is missing, for messages
};

/// The first failure that a process knows of.
struct MpiFailure {
  int rank = 0;
  bool own = false;      ///< found by this rank, not told by another
  ErrorText text;        ///< as the error was thrown there; of what is no Error of ours, its message alone
  bool foreign = false;  ///< no Error of ours
  ExitCode code = ExitCode::rank_failed;
  std::int64_t time_ns = 0;  ///< core/clock.h
};

/// The failure as the caller of a run gets it: an Error as it is, anything else as "rank R failed: ...".
[[noreturn]] void throw_failure(const MpiFailure& failure);

/// How a rank left the function that ran on it.
struct Departure {
  bool failed = false;
  ExitCode code = ExitCode::done;
  std::string what;
};

/// One process's side of all ranks. Not for two threads at once.
class MpiWorld {
 public:
  /// Collective over `parent`. @param on_own_failure called once, before the others are told
  MpiWorld(MPI_Comm parent, const MpiOptions& options, std::function<void(const MpiFailure&)> on_own_failure);

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(departures_.size()); }
  const MpiOptions& options() const { return options_; }

  /// Returns once `pending.ready()`.
  /// @throws RankError when another rank failed, an awaited one returned, or the deadline (zero: none) passed; from
  /// then
  ///   on the world has failed and nobody waits in it again
  void await(Pending& pending, Deadline deadline);
  /// Throws what `await` would if the world has failed already: an operation asks before it sends anything.
  void refuse_after_failure(const Pending& pending);

  /// Keeps the first failure and tells it to the others. Throws nothing.
  /// @param agreed every rank finds the same, and a rank that is told throws the same words
  void fail(const std::exception_ptr& error, bool agreed = false);
  bool has_failed() const { return failure_.has_value(); }
  const std::optional<MpiFailure>& failure() const { return failure_; }

  /// Tells the others that the function has ended on this rank, by an exception or (null) by returning.
  void leave(const std::exception_ptr& error);
  /// Waits for the others to leave too: as long as it takes while nobody has failed, then for `grace` at most.
  /// @return whether all have left
  bool await_departures(Deadline grace);
  /// True when this rank failed by itself and no lower one left with the same words: it speaks for all of them.
  bool speaks() const;
  /// True when every rank left by an InputError of the same words.
  bool all_refused_alike() const;

  /// When an operation that is given up must have come to its end: soon after the first one that asks.
  std::int64_t drain_until();
  /// The number of a new communicator that this process is the first rank of; no other has it.
  std::uint32_t next_group_number() const;
  void count_group() { ++groups_; }

 private:
  void listen();
  void take(const Notice& notice);
  void tell_all(Topic topic, const std::vector<std::string>& parts);
  void answer(int rank, const std::string& number);
  std::optional<Waiting> ask(int rank);
  [[noreturn]] void throw_failed(const Waiting& waiting) const;
  [[noreturn]] void fail_with(const ErrorText& text);
  void check_departures(const Pending& pending);

  const MpiOptions options_;
  const std::function<void(const MpiFailure&)> on_own_failure_;
  Notices notices_;
  int rank_ = 0;
  std::optional<MpiFailure> failure_;
  bool agreed_ = false;  ///< the failure is one that every rank finds
  std::vector<std::optional<Departure>> departures_;
  std::vector<std::int64_t> left_ns_;  ///< when this process heard that a rank left
  const Pending* pending_ = nullptr;   ///< what this rank waits for
  std::uint64_t questions_ = 0;
  std::optional<Waiting> answer_;  ///< to the last question
  std::int64_t drain_until_ns_ = 0;
  std::uint32_t groups_ = 0;
};

}  // namespace duet::comm
