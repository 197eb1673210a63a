#include "comm/mpi/mpi_world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "comm/mpi/patience.h"
#include "core/clock.h"

namespace duet::comm {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds settling{200};     // what a rank sent before it left arrives in this time
constexpr milliseconds answer_time{300};  // a rank that waits answers at once; one that computes never
constexpr milliseconds draining{200};
constexpr int looks_a_poll = 16;

std::int64_t after(milliseconds time) { return now_ns() + std::chrono::nanoseconds(time).count(); }

// An exception as it is told to others: an Error by its parts, anything else by its message.
MpiFailure failure_of(int rank, const std::exception_ptr& error) {
  MpiFailure failure{.rank = rank, .own = true, .text = {}, .time_ns = now_ns()};
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    failure.text = known.text();
    failure.code = known.code();
  } catch (...) {
    failure.text.what = what_happened(error);
    failure.foreign = true;
  }
  return failure;
}

}  // namespace

void throw_failure(const MpiFailure& failure) {
  auto text = failure.text;
  if (failure.foreign) text.what = fmt::format("rank {} failed: {}", failure.rank, text.what);
  if (failure.code == ExitCode::bad_input) throw InputError(text);
  throw RankError(text);
}

MpiWorld::MpiWorld(MPI_Comm parent, const MpiOptions& options, std::function<void(const MpiFailure&)> on_own_failure)
    : options_(options), on_own_failure_(std::move(on_own_failure)), notices_(parent) {
  int ranks = 0;
  check_mpi(MPI_Comm_rank(parent, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(parent, &ranks), "MPI_Comm_size");
  departures_.resize(static_cast<std::size_t>(ranks));
  left_ns_.resize(static_cast<std::size_t>(ranks));
}

void MpiWorld::await(Pending& pending, Deadline deadline) {
  if (pending.ready()) return;
  struct Registered {
    const Pending*& place;
    ~Registered() { place = nullptr; }
  } registered{pending_};
  pending_ = &pending;
  const auto until = after(deadline);
  Patience patience;
  for (int look = 1; !pending.ready(); ++look) {
    patience.rest();
    if (look % looks_a_poll != 0) continue;
    listen();
    if (failure_) throw_failed(pending.waiting());
    check_departures(pending);
    if (deadline.count() == 0 || now_ns() < until || debugger_attached()) continue;
    auto text = too_late(pending.waiting(), deadline, [&](int rank) { return ask(rank); });
    text.usually += "; a process may also be stopped, or the network between two hosts broken";
    if (failure_) throw_failed(pending.waiting());
    fail_with(text);
  }
}

void MpiWorld::refuse_after_failure(const Pending& pending) {
  if (size() > 1) listen();
  if (failure_) throw_failed(pending.waiting());
}

void MpiWorld::throw_failed(const Waiting& waiting) const {
  if (agreed_) throw RankError(failure_->text);
  throw RankError(because_of_failure(failure_->rank, failure_->text.what, waiting));
}

void MpiWorld::fail_with(const ErrorText& text) {
  fail(std::make_exception_ptr(RankError(text)));
  throw RankError(text);
}

void MpiWorld::check_departures(const Pending& pending) {
  const auto settled = now_ns() - std::chrono::nanoseconds(settling).count();
  for (const int rank : pending.waiting().missing) {
    const auto i = static_cast<std::size_t>(rank);
    if (departures_[i] && !departures_[i]->failed && left_ns_[i] < settled) {
      fail_with(returned_early(rank, pending.waiting()));
    }
  }
}

void MpiWorld::fail(const std::exception_ptr& error, bool agreed) {
  if (failure_) return;
  failure_ = failure_of(rank_, error);
  agreed_ = agreed;
  on_own_failure_(*failure_);
  const auto& text = failure_->text;
  tell_all(Topic::failed,
           {agreed              ? "agreed"
            : failure_->foreign ? "foreign"
                                : "",
            std::to_string(static_cast<int>(failure_->code)), text.what, text.where, text.usually, text.fix});
}

void MpiWorld::leave(const std::exception_ptr& error) {
  if (error) fail(error);
  auto& departure = departures_[static_cast<std::size_t>(rank_)].emplace();
  departure.failed = failure_.has_value();
  if (error) {
    departure.code = failure_of(rank_, error).code;
    departure.what = what_happened(error);
  }
  tell_all(Topic::left,
           {departure.failed ? "failed" : "", std::to_string(static_cast<int>(departure.code)), departure.what});
}

bool MpiWorld::await_departures(Deadline grace) {
  Patience patience;
  std::int64_t until = 0;
  const auto all_left = [&] {
    return std::all_of(departures_.begin(), departures_.end(), [](const auto& each) { return each.has_value(); });
  };
  while (!all_left() || !notices_.all_taken()) {
    listen();
    if (failure_ && until == 0) until = after(grace);
    if (failure_ && now_ns() > until) break;
    patience.rest();
  }
  if (failure_) notices_.leave_open();
  return all_left();
}

bool MpiWorld::speaks() const {
  if (!failure_ || !failure_->own) return false;
  return std::none_of(departures_.begin(), departures_.begin() + rank_,
                      [&](const auto& lower) { return lower && lower->failed && lower->what == failure_->text.what; });
}

bool MpiWorld::all_refused_alike() const {
  const auto& mine = departures_[static_cast<std::size_t>(rank_)];
  return std::all_of(departures_.begin(), departures_.end(), [&](const auto& other) {
    return other && other->failed && other->code == ExitCode::bad_input && other->what == mine->what;
  });
}

std::int64_t MpiWorld::drain_until() {
  if (drain_until_ns_ == 0) drain_until_ns_ = after(draining);
  return drain_until_ns_;
}

std::uint32_t MpiWorld::next_group_number() const {
  return 1 + static_cast<std::uint32_t>(rank_) + groups_ * static_cast<std::uint32_t>(size());
}

void MpiWorld::tell_all(Topic topic, const std::vector<std::string>& parts) {
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != rank_) notices_.tell(rank, topic, parts);
  }
}

void MpiWorld::listen() {
  while (const auto notice = notices_.poll()) take(*notice);
}

void MpiWorld::take(const Notice& notice) {
  const auto& parts = notice.parts;
  const auto from = static_cast<std::size_t>(notice.from);
  switch (notice.topic) {
    case Topic::failed:
      if (failure_) return;
      agreed_ = parts.at(0) == "agreed";
      failure_ =
          MpiFailure{.rank = notice.from,
                     .text = {.what = parts.at(2), .where = parts.at(3), .usually = parts.at(4), .fix = parts.at(5)},
                     .foreign = parts.at(0) == "foreign",
                     .code = static_cast<ExitCode>(std::stoi(parts.at(1))),
                     .time_ns = now_ns()};
      return;
    case Topic::left:
      departures_[from] = Departure{.failed = parts.at(0) == "failed",
                                    .code = static_cast<ExitCode>(std::stoi(parts.at(1))),
                                    .what = parts.at(2)};
      left_ns_[from] = now_ns();
      return;
    case Topic::question:
      return answer(notice.from, parts.at(0));
    case Topic::answer:
      if (parts.at(0) != std::to_string(questions_)) return;  // too late: to an earlier one
      answer_ = Waiting{.rank = notice.from, .operation = parts.at(1), .missing = {}};
      std::istringstream missing(parts.at(2));
      for (int rank = 0; missing >> rank;) answer_->missing.push_back(rank);
      return;
  }
}

void MpiWorld::answer(int rank, const std::string& number) {
  if (pending_ == nullptr) return;
  const auto waiting = pending_->waiting();
  notices_.tell(rank, Topic::answer, {number, waiting.operation, fmt::format("{}", fmt::join(waiting.missing, " "))});
}

std::optional<Waiting> MpiWorld::ask(int rank) {
  answer_.reset();
  notices_.tell(rank, Topic::question, {std::to_string(++questions_)});
  const auto until = after(answer_time);
  Patience patience;
  while (!answer_ && !failure_ && now_ns() < until) {
    patience.rest();
    listen();
  }
  return answer_;
}

}  // namespace duet::comm
