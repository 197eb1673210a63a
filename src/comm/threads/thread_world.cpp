#include "comm/threads/thread_world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <thread>

namespace duet::comm {

namespace {

constexpr auto spin_time = std::chrono::microseconds(100);
constexpr auto time_to_say_why = std::chrono::seconds(1);  // from a rank's exception to its report
constexpr int pauses_a_yield = 16;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

std::string list_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;  // a few say enough
  const auto named = std::span(ranks).first(std::min(most, ranks.size()));
  const auto others = ranks.size() - named.size();
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(named, ", "),
                     others == 0 ? "" : fmt::format(" and {} more", others));
}

}  // namespace

ThreadWorld::ThreadWorld(int size, Deadline deadline)
    : deadline_(deadline),
      may_spin_(std::thread::hardware_concurrency() >= static_cast<unsigned>(size)),
      ranks_(static_cast<std::size_t>(size)),
      waiting_(static_cast<std::size_t>(size)) {}

void ThreadWorld::await(const Wait& wait, Deadline deadline) {
  if (!spin(wait)) sleep(wait, deadline);
}

bool ThreadWorld::spin(const Wait& wait) const {
  if (wait.ready()) return true;
  if (!may_spin_) return false;
  const auto until = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int i = 0; i < pauses_a_yield; ++i) {
      if (wait.ready()) return true;
      relax();
    }
    std::this_thread::yield();  // the awaited rank may sit on this very core
  } while (std::chrono::steady_clock::now() < until && !failed_.load());
  return false;
}

void ThreadWorld::sleep(const Wait& wait, Deadline deadline) {
  const auto me = static_cast<std::size_t>(wait.rank());
  const auto fail_with = [&](const ErrorText& text) {
    keep_failure(wait.rank(), std::make_exception_ptr(RankError(text)));
    throw RankError(text);
  };
  struct Registered {
    ThreadWorld& world;
    std::size_t rank;
    std::unique_lock<std::mutex> lock;
    ~Registered() {
      world.waiting_[rank] = nullptr;
      --world.sleepers_;
    }
  } registered{*this, me, std::unique_lock(mutex_)};
  waiting_[me] = &wait;
  ++sleepers_;  // before looking again: whoever makes the wait ready looks at it afterwards
  const auto until = std::chrono::steady_clock::now() + deadline;
  while (!wait.ready()) {
    if (failed_.load()) throw RankError(because_of_failure(wait));
    if (const auto early = returned_early(wait)) fail_with(*early);
    if (deadline.count() == 0) {
      condition_.wait(registered.lock);
    } else if (std::chrono::steady_clock::now() < until) {
      condition_.wait_until(registered.lock, until);
    } else if (debugger_attached()) {
      condition_.wait_for(registered.lock, std::chrono::seconds(1));
    } else {
      fail_with(too_late(wait, deadline));
    }
  }
}

std::optional<ErrorText> ThreadWorld::returned_early(const Wait& wait) const {
  std::vector<bool> returned;
  for (const auto& rank : ranks_) returned.push_back(rank.returned.load());
  for (const int rank : wait.missing()) {  // after `returned`: a rank may do its part and then return
    if (!returned[static_cast<std::size_t>(rank)]) continue;
    return ErrorText{.what = fmt::format("rank {} returned early", rank),
                     .where = fmt::format("rank {} waits for it in {}", wait.rank(), wait.operation()),
                     .usually = "a condition lets one rank leave a loop or skip an operation that the others do",
                     .fix = "let all ranks decide alike, or let one decide and broadcast"};
  }
  return std::nullopt;
}

ErrorText ThreadWorld::too_late(const Wait& wait, Deadline deadline) const {
  auto missing = wait.missing();
  auto what = fmt::format("rank {} waits in {} for {}", wait.rank(), wait.operation(), list_ranks(missing));
  std::vector<int> told{wait.rank()};
  while (missing.size() == 1) {  // follow the chain; more than one missing rank would make a tree
    const auto next = missing.front();
    if (std::find(told.begin(), told.end(), next) != told.end()) break;
    told.push_back(next);
    const auto* const other = waiting_[static_cast<std::size_t>(next)];
    if (other == nullptr) {
      what += ", which is in no communication";
      break;
    }
    missing = other->missing();
    what += fmt::format(", which waits in {} for {}", other->operation(), list_ranks(missing));
  }
  return {.what = what,
          .where = fmt::format("the deadline of {} s passed", std::chrono::duration<double>(deadline).count()),
          .usually = "the ranks do not call the same operations in the same order, or one is stuck in a loop",
          .fix = "compare what each rank calls up to here"};
}

ErrorText ThreadWorld::because_of_failure(const Wait& wait) const {
  return {.what = fmt::format("rank {} failed: {}", failed_rank_, reason_),
          .where = fmt::format("rank {} was in {}", wait.rank(), wait.operation()),
          .usually = {},
          .fix = {}};
}

void ThreadWorld::throw_failed(const Wait& wait) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, time_to_say_why, [&] { return failed_.load(); });
  if (!failed_.load()) {
    const auto what = fmt::format("a rank left {} before the others had finished", wait.operation());
    keep_failure(wait.rank(), std::make_exception_ptr(RankError({.what = what,
                                                                 .where = {},
                                                                 .usually = "an exception was caught inside the rank",
                                                                 .fix = "let it reach run_ranks"})));
  }
  throw RankError(because_of_failure(wait));
}

void ThreadWorld::changed() {
  if (sleepers_.load() == 0) return;
  { const std::scoped_lock lock(mutex_); }  // whoever looked before the change now sleeps
  condition_.notify_all();
}

void ThreadWorld::keep_failure(int rank, std::exception_ptr error) {
  if (!failure_) {
    failed_rank_ = rank;
    reason_ = what_happened(error);  // here and once: the others need not touch an exception of this thread
    failure_ = std::move(error);
  }
  failed_.store(true);
  condition_.notify_all();
}

void ThreadWorld::fail(int rank, std::exception_ptr error) {
  const std::scoped_lock lock(mutex_);
  keep_failure(rank, std::move(error));
}

std::exception_ptr ThreadWorld::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

int ThreadWorld::failed_rank() const {
  const std::scoped_lock lock(mutex_);
  return failed_rank_;
}

void ThreadWorld::mark_returned(int rank) {
  ranks_[static_cast<std::size_t>(rank)].returned.store(true);
  changed();
}

std::string what_happened(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.text().what;
  } catch (const std::exception& other) {
    const std::string text = other.what();
    return text.substr(0, text.find("\nException raised from"));  // c10::Error appends a backtrace
  } catch (...) {
    return "something was thrown that is no std::exception";
  }
}

bool debugger_attached() {
  std::ifstream status("/proc/self/status");
  for (std::string field; status >> field;) {
    if (field != "TracerPid:") continue;
    int tracer = 0;
    return (status >> tracer) && tracer != 0;
  }
  return false;
}

}  // namespace duet::comm
