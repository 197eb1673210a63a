#include "comm/threads/rank_threads.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "comm/threads/start_core.h"
#include "core/clock.h"

namespace duet::comm {

namespace {

/// Which rank threads have ended.
class Ends {
 public:
  explicit Ends(int ranks) : ended_(static_cast<std::size_t>(ranks), false) {}

  void mark(int rank) {
    const std::scoped_lock lock(mutex_);
    ended_[static_cast<std::size_t>(rank)] = true;
    condition_.notify_all();
  }
  /// The ranks that still run, after waiting a while for all to end.
  std::vector<int> running_after(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, time,
                        [&] { return std::all_of(ended_.begin(), ended_.end(), [](bool e) { return e; }); });
    std::vector<int> running;
    for (std::size_t rank = 0; rank < ended_.size(); ++rank) {
      if (!ended_[rank]) running.push_back(static_cast<int>(rank));
    }
    return running;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::vector<bool> ended_;
};

// A thread cannot be ended from outside, and its stack refers to ours: only the process can go.
[[noreturn]] void end_process(const ThreadWorld& world, int rank, double silent_s) {
  const auto reason = what_happened(world.failure());
  const auto text = fmt::format(
      "error: {}\n  and     rank {} cannot be ended: no sign of life for {:.1f} s, so the process ends\n"
      "  usually a loop that never ends, or a call that blocks\n",
      reason, rank, silent_s);
  // Straight to the file: the stuck thread may hold the lock of a stream.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::_Exit(static_cast<int>(ExitCode::rank_failed));
}

void wait_for_ends(const ThreadWorld& world, Ends& ends, const RunOptions& options) {
  const auto limit_ns = std::chrono::nanoseconds(options.deadline + options.grace).count();
  const auto grace_ns = std::chrono::nanoseconds(options.grace).count();
  std::int64_t failed_ns = 0;
  while (true) {
    const auto running = ends.running_after(std::chrono::milliseconds(20));
    if (running.empty()) return;
    if (!world.has_failed() || options.deadline.count() == 0) continue;
    const auto now = now_ns();
    if (failed_ns == 0) failed_ns = now;
    for (const int rank : running) {
      const auto silent_ns = now - world.last_alive_ns(rank);
      if (silent_ns < limit_ns || now - failed_ns < grace_ns || debugger_attached()) continue;
      end_process(world, rank, static_cast<double>(silent_ns) / 1e9);
    }
  }
}

void run_one(ThreadWorld& world, int rank, const std::function<void(int)>& body) {
  try {
    body(rank);
    world.mark_returned(rank);
  } catch (...) {
    world.fail(rank, std::current_exception());
  }
}

[[noreturn]] void rethrow(const ThreadWorld& world) {
  try {
    std::rethrow_exception(world.failure());
  } catch (const Error&) {
    throw;
  } catch (...) {
    throw RankError(
        {.what = fmt::format("rank {} failed: {}", world.failed_rank(), what_happened(std::current_exception())),
         .where = {},
         .usually = {},
         .fix = {}});
  }
}

}  // namespace

void run_rank_threads(ThreadWorld& world, const RunOptions& options, const std::function<void(int rank)>& body) {
  Ends ends(world.size());
  std::vector<std::thread> threads;
  const int core = current_core();
  for (int rank = 0; rank < world.size(); ++rank) {
    world.mark_alive(rank, now_ns());
    try {
      threads.emplace_back([&, rank] {
        start_on_own_core(core, rank, world.size());
        run_one(world, rank, body);
        ends.mark(rank);
      });
    } catch (const std::system_error& error) {
      world.fail(rank, std::make_exception_ptr(
                           RankError({.what = fmt::format("rank {} of {} could not be started", rank, world.size()),
                                      .where = error.what(),
                                      .usually = "the system allows this user or process no more threads",
                                      .fix = "use fewer ranks, or raise the limit (ulimit -u)"})));
      for (int rest = rank; rest < world.size(); ++rest) ends.mark(rest);
      break;
    }
  }
  wait_for_ends(world, ends, options);
  for (auto& thread : threads) thread.join();
  if (world.has_failed()) rethrow(world);
}

}  // namespace duet::comm
