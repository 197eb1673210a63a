#include "comm/nccl/signal_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comm/poll_pause.h"
#include "comm/wait_errors.h"

namespace duet::comm {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto between_asks = std::chrono::milliseconds(5);  // the signal may live on another host
constexpr auto time_to_say_why = std::chrono::seconds(1);    // from a rank's exception to its word here

Waiting told(const Wait& wait) {
  return {.rank = wait.rank(), .operation = wait.operation(), .missing = wait.missing()};
}

class SignalWatch : public Watch {
 public:
  SignalWatch(std::shared_ptr<Signal> signal, int rank) : signal_(std::move(signal)), rank_(rank) {}

  void mark_alive() override {}

  void await(const Wait& wait, Deadline deadline, const std::function<bool()>& done) override {
    const auto start = Clock::now();
    for (PollPause pause;; pause()) {
      const bool failed = has_failed();
      if (done()) return;  // after looking at the others: what they did before they failed counts
      if (failed) throw_failed(wait);
      if (deadline.count() == 0 || Clock::now() < start + deadline || debugger_attached()) continue;
      const auto late = too_late_alone(wait, deadline);
      fail(std::make_exception_ptr(RankError(late)));
      throw RankError(late);
    }
  }

  bool has_failed() override {
    if (!failure_ && Clock::now() >= next_ask_) {
      next_ask_ = Clock::now() + between_asks;
      failure_ = signal_->poll();
    }
    return failure_.has_value();
  }

  void fail(std::exception_ptr error) override {
    if (failure_) return;
    failure_ = {.rank = rank_, .reason = what_happened(error)};
    signal_->raise(*failure_);
  }

  void throw_failed_or(const Wait& wait, const ErrorText& mine) override {
    const auto until = Clock::now() + time_to_say_why;
    for (PollPause pause; Clock::now() < until; pause()) {
      if (has_failed()) throw_failed(wait);
    }
    fail(std::make_exception_ptr(RankError(mine)));
    throw RankError(mine);
  }

  std::shared_ptr<GroupProgress> progress(std::uint32_t, int) override { return nullptr; }

 private:
  [[noreturn]] void throw_failed(const Wait& wait) const {
    throw RankError(because_of_failure(failure_->rank, failure_->reason, told(wait)));
  }

  // What the others do is unknown here, so the message must not claim it.
  static ErrorText too_late_alone(const Wait& wait, Deadline deadline) {
    auto text = too_late({.rank = wait.rank(), .operation = wait.operation(), .missing = {}}, deadline, {});
    const auto missing = wait.missing();
    text.what = fmt::format("rank {} waits in {} for {} {}", wait.rank(), wait.operation(),
                            missing.size() == 1 ? "rank" : "ranks", fmt::join(missing, ", "));
    text.usually = "a rank calls another operation, is stuck in a loop, or a link between the GPUs is broken";
    text.fix = "look at what the other ranks print; NCCL_DEBUG=INFO shows the links";
    return text;
  }

  const std::shared_ptr<Signal> signal_;
  const int rank_;
  Clock::time_point next_ask_{};
  std::optional<Signal::Failure> failure_;
};

}  // namespace

std::shared_ptr<Watch> make_signal_watch(std::shared_ptr<Signal> signal, int rank) {
  return std::make_shared<SignalWatch>(std::move(signal), rank);
}

}  // namespace duet::comm
