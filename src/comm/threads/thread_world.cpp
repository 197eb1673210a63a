#include "comm/threads/thread_world.h"

#include <fmt/format.h>

#include <thread>

#include "comm/poll_pause.h"

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

Waiting told(const Wait& wait) {
  return {.rank = wait.rank(), .operation = wait.operation(), .missing = wait.missing()};
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
    if (failed_.load()) throw RankError(after_failure(wait));
    if (const auto early = who_returned_early(wait)) fail_with(wait, *early);
    if (deadline.count() == 0) {
      condition_.wait(registered.lock);
    } else if (std::chrono::steady_clock::now() < until) {
      condition_.wait_until(registered.lock, until);
    } else if (debugger_attached()) {
      condition_.wait_for(registered.lock, std::chrono::seconds(1));
    } else {
      fail_with(wait, after_deadline(wait, deadline));
    }
  }
}

void ThreadWorld::fail_with(const Wait& wait, const ErrorText& text) {
  keep_failure(wait.rank(), std::make_exception_ptr(RankError(text)));
  throw RankError(text);
}

/// While it lives, others may say what this rank waits for.
class ThreadWorld::Tells {
 public:
  Tells(ThreadWorld& world, const Wait& wait) : world_(world), rank_(static_cast<std::size_t>(wait.rank())) {
    set(&wait);
  }
  ~Tells() { set(nullptr); }
  Tells(const Tells&) = delete;
  Tells& operator=(const Tells&) = delete;

 private:
  void set(const Wait* wait) {
    const std::scoped_lock lock(world_.mutex_);
    world_.waiting_[rank_] = wait;
  }

  ThreadWorld& world_;
  const std::size_t rank_;
};

void ThreadWorld::await_polled(const Wait& wait, Deadline deadline, const std::function<bool()>& done) {
  if (done()) return;
  const Tells tells(*this, wait);
  const auto until = std::chrono::steady_clock::now() + deadline;
  for (PollPause pause;; pause()) {
    const auto early = who_returned_early(wait);
    const bool failed = failed_.load();
    if (done()) return;  // after looking at the others: what they did before they failed or returned counts
    const bool late = deadline.count() > 0 && std::chrono::steady_clock::now() >= until && !debugger_attached();
    if (!failed && !early && !late) continue;
    const std::scoped_lock lock(mutex_);
    if (failed_.load()) throw RankError(after_failure(wait));
    fail_with(wait, early ? *early : after_deadline(wait, deadline));
  }
}

std::optional<ErrorText> ThreadWorld::who_returned_early(const Wait& wait) const {
  std::vector<bool> returned;
  for (const auto& rank : ranks_) returned.push_back(rank.returned.load());
  for (const int rank : wait.missing()) {  // after `returned`: a rank may do its part and then return
    if (returned[static_cast<std::size_t>(rank)]) return returned_early(rank, told(wait));
  }
  return std::nullopt;
}

ErrorText ThreadWorld::after_deadline(const Wait& wait, Deadline deadline) const {
  return too_late(told(wait), deadline, [&](int rank) -> std::optional<Waiting> {
    const auto* const other = waiting_[static_cast<std::size_t>(rank)];
    if (other == nullptr) return std::nullopt;
    return told(*other);
  });
}

ErrorText ThreadWorld::after_failure(const Wait& wait) const {
  return because_of_failure(failed_rank_, reason_, told(wait));
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
  throw RankError(after_failure(wait));
}

void ThreadWorld::throw_failed_or(const Wait& wait, const ErrorText& mine) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, time_to_say_why, [&] { return failed_.load(); });
  if (failed_.load()) throw RankError(after_failure(wait));
  fail_with(wait, mine);
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

}  // namespace duet::comm
