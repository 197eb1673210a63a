#include "comm/mpi/mpi_collective.h"

#include <fmt/format.h>

#include <exception>

#include "comm/bytes_sent.h"
#include "comm/mpi/wrong_size.h"
#include "core/clock.h"

namespace duet::comm {

using trace::Operation;

MpiCollective::MpiCollective(std::shared_ptr<MpiGroup> group, std::uint64_t sequence, Operation operation,
                             trace::Recorder* recorder)
    : group_(std::move(group)),
      sequence_(sequence),
      recorder_(recorder),
      deadline_(group_->world->options().deadline),
      start_ns_(now_ns()),
      exceptions_(std::uncaught_exceptions()),
      transfers_(group_->comm.get(), group_->world->options().largest_message) {
  header_.posting.operation = operation;
}

MpiCollective::~MpiCollective() {
  if (!started_ || finished_) return;
  --group_->outstanding;
  auto& world = *group_->world;
  if (!world.has_failed() && std::uncaught_exceptions() <= exceptions_) {
    world.fail(std::make_exception_ptr(RankError(never_waited(world.rank(), name()))));
  }
  transfers_.abandon(world.drain_until());
}

std::string MpiCollective::name() const { return fmt::format("{} #{}", operation_name(header_.posting), sequence_); }

bool MpiCollective::moves() const {
  return header_.posting.operation != Operation::barrier && header_.posting.operation != Operation::none;
}

bool MpiCollective::compares() const { return !moves() || group_->world->options().checked; }

Move MpiCollective::move() {
  return {
      .group = *group_, .posting = header_.posting, .sequence = sequence_, .transfers = transfers_, .aside = aside_};
}

void MpiCollective::start() {
  if (group_->outstanding == MpiGroup::most_started) {
    throw InputError(too_many_started(group_->world->rank(), group_->outstanding, name()));
  }
  group_->world->refuse_after_failure(*this);
  ++group_->outstanding;
  started_ = true;
  if (compares()) {
    send_header();
  } else {
    post_first(move());
  }
}

void MpiCollective::wait() {
  if (finished_) return;
  auto& world = *group_->world;
  if (compares()) {
    world.await(*this, deadline_);
    compare();
    if (moves()) post_first(move());
  }
  world.await(*this, deadline_);
  if (post_second(move())) world.await(*this, deadline_);
  finished_ = true;
  --group_->outstanding;
  record();
}

bool MpiCollective::ready() {
  const bool done = transfers_.test();
  if (transfers_.wrong_size()) throw RankError(wrong_size_error(*transfers_.wrong_size(), *group_, name()));
  return done;
}

Waiting MpiCollective::waiting() const {
  Waiting waiting{.rank = group_->world->rank(), .operation = name(), .missing = transfers_.missing()};
  for (auto& rank : waiting.missing) rank = group_->world_rank(rank);
  return waiting;
}

void MpiCollective::send_header() {
  header_.new_group = group_->world->next_group_number();
  const auto size = header_size(group_->size());
  const auto mine = to_numbers(header_, group_->size());
  numbers_.resize(size * static_cast<std::size_t>(group_->size()));
  const auto place = [&](int rank) { return std::span(numbers_).subspan(static_cast<std::size_t>(rank) * size, size); };
  std::copy(mine.begin(), mine.end(), place(group_->rank).begin());
  const int tag = MpiGroup::tag(sequence_, Stage::check);
  for (int peer = 0; peer < group_->size(); ++peer) {
    if (peer != group_->rank) transfers_.receive(peer, tag, std::as_writable_bytes(place(peer)));
  }
  for (int peer = 0; peer < group_->size(); ++peer) {
    if (peer != group_->rank) transfers_.send(peer, tag, std::as_bytes(place(group_->rank)));
  }
}

void MpiCollective::compare() {
  const auto size = header_size(group_->size());
  for (int rank = 0; rank < group_->size(); ++rank) {
    headers_.push_back(from_numbers(std::span(numbers_).subspan(static_cast<std::size_t>(rank) * size, size)));
  }
  std::vector<const Posting*> postings;
  for (const auto& header : headers_) postings.push_back(&header.posting);
  const auto found = find_disagreement(postings, group_->ranks, sequence_);
  if (!found) return;
  auto& world = *group_->world;
  const auto text = disagreement_error(*found, posting(), group_->ranks, sequence_, world.size());
  world.fail(std::make_exception_ptr(RankError(text)), true);
  throw RankError(text);
}

void MpiCollective::record() const {
  const auto& mine = header_.posting;
  if (recorder_ == nullptr || mine.operation == Operation::none) return;
  trace::Event event;
  event.operation = mine.operation;
  event.start_ns = start_ns_;
  event.end_ns = now_ns();
  event.bytes = bytes_sent(mine, group_->rank, group_->size());
  event.modelled = mine.operation == Operation::all_reduce;
  if (mine.operation == Operation::all_to_all) event.rows_to = mine.send_rows;
  event.group = group_->number;
  event.sequence = sequence_;
  trace::Recorder::communication(recorder_, std::move(event));
}

}  // namespace duet::comm
