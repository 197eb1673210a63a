#include "comm/threads/collective.h"

#include <fmt/format.h>

#include <exception>

#include "comm/bytes_sent.h"
#include "comm/threads/move_rows.h"
#include "core/clock.h"

namespace duet::comm {

namespace {

using trace::Operation;

/// A rank waits until every rank of the group has come to a stage of an operation.
class StageWait : public Wait {
 public:
  StageWait(Group& group, int rank, std::uint64_t sequence, Stage stage)
      : group_(group), slot_(group.slot(sequence)), rank_(rank), sequence_(sequence), stage_(stage) {}

  int rank() const override { return group_.world_rank(rank_); }
  bool ready() const override { return slot_.all_reached(sequence_, stage_); }
  std::vector<int> missing() const override {
    std::vector<int> ranks;
    for (int peer = 0; peer < group_.size(); ++peer) {
      if (!slot_.reached(peer, sequence_, stage_)) ranks.push_back(group_.world_rank(peer));
    }
    return ranks;
  }
  std::string operation() const override {
    return fmt::format("{} #{}", operation_name(slot_.posting(rank_)), sequence_);
  }

 private:
  Group& group_;
  const Slot& slot_;
  const int rank_;
  const std::uint64_t sequence_;
  const Stage stage_;
};

// The slot of an operation, once nobody needs what lay in it.
Slot& claim_slot(Group& group, int rank, std::uint64_t sequence) {
  auto& slot = group.slot(sequence);
  if (sequence <= Group::slot_count) return slot;
  const auto before = sequence - Group::slot_count;
  if (!slot.reached(rank, before, Stage::done)) {
    throw InputError(too_many_started(group.world_rank(rank), Group::slot_count,
                                      fmt::format("{} #{}", operation_name(slot.posting(rank)), before)));
  }
  group.world->await(StageWait(group, rank, before, Stage::done), group.world->deadline());
  return slot;
}

}  // namespace

Collective::Collective(std::shared_ptr<Group> group, int rank, std::uint64_t sequence, Operation operation,
                       trace::Recorder* recorder)
    : group_(std::move(group)),
      rank_(rank),
      sequence_(sequence),
      slot_(claim_slot(*group_, rank, sequence)),
      recorder_(recorder),
      deadline_(group_->world->deadline()),
      start_ns_(now_ns()),
      exceptions_(std::uncaught_exceptions()) {
  slot_.posting(rank).clear(operation);
  group_->world->mark_alive(group_->world_rank(rank), start_ns_);
}

Collective::~Collective() {
  if (!posted_ || finished_) return;
  if (!group_->world->has_failed() && std::uncaught_exceptions() <= exceptions_) {
    const auto rank = group_->world_rank(rank_);
    const RankError error(never_waited(rank, fmt::format("{} #{}", operation_name(posting()), sequence_)));
    group_->world->fail(rank, std::make_exception_ptr(error));
  }
  slot_.gate().close();
}

void Collective::post() {
  posted_ = true;
  reach(Stage::posted);
}

void Collective::reach(Stage stage) {
  slot_.reach(rank_, sequence_, stage);
  // A group of one has nobody to wake; ranks of other groups that sleep would cost it a system call each time.
  if (group_->size() > 1 && slot_.all_reached(sequence_, stage)) group_->world->changed();
}

void Collective::await_all(Stage stage) {
  group_->world->await(StageWait(*group_, rank_, sequence_, stage), deadline_);
}

void Collective::wait() {
  if (finished_) return;
  await_all(Stage::posted);
  check();
  move();
  finished_ = true;
  record();
}

void Collective::check() {
  std::array<const Posting*, 64> few{};
  std::vector<const Posting*> many;
  std::span<const Posting*> postings(few.data(), static_cast<std::size_t>(group_->size()));
  if (postings.size() > few.size()) {
    many.resize(postings.size());
    postings = many;
  }
  for (int rank = 0; rank < group_->size(); ++rank) postings[static_cast<std::size_t>(rank)] = &slot_.posting(rank);
  const auto found = find_disagreement(postings, group_->ranks, sequence_);
  if (!found) return;
  const auto text = disagreement_error(*found, posting(), group_->ranks, sequence_, group_->world->size());
  group_->world->fail(group_->world_rank(rank_), std::make_exception_ptr(RankError(text)));
  throw RankError(text);
}

// Reads the peers' buffers, unless one of them had to leave.
template <typename Read>
void Collective::read_peers(Read read) {
  const ReadGate::Pass pass(slot_.gate());
  if (!pass) group_->world->throw_failed(StageWait(*group_, rank_, sequence_, Stage::done));
  read();
}

void Collective::move() {
  const int size = group_->size();
  switch (posting().operation) {
    case Operation::all_to_all:
      read_peers([&] { copy_my_rows(slot_, rank_, size); });
      break;
    case Operation::all_reduce:
      read_peers([&] { sum_my_chunk(slot_, rank_, size); });
      reach(Stage::halfway);
      await_all(Stage::halfway);
      read_peers([&] { copy_other_chunks(slot_, rank_, size); });
      break;
    case Operation::all_gather:
      read_peers([&] { gather_parts(slot_, rank_, size); });
      break;
    case Operation::reduce_scatter:
      read_peers([&] { sum_my_part(slot_, rank_, size); });
      break;
    case Operation::broadcast:
      read_peers([&] { copy_from_root(slot_, rank_); });
      break;
    case Operation::none:
      if (rank_ == 0) slot_.made(0) = make_groups(*group_, slot_);
      reach(Stage::halfway);
      await_all(Stage::halfway);
      enter_new_group();
      break;
    default:
      break;
  }
  const bool buffers_are_read = posting().operation != Operation::barrier && posting().operation != Operation::none;
  reach(Stage::done);
  if (buffers_are_read) await_all(Stage::done);
}

void Collective::enter_new_group() {
  const auto place = place_in_split(slot_, rank_, group_->size());
  new_group_ = slot_.made(0)[place.group];
  new_rank_ = place.rank;
}

void Collective::record() const {
  const auto end = now_ns();
  group_->world->mark_alive(group_->world_rank(rank_), end);
  const auto& mine = slot_.posting(rank_);
  if (recorder_ == nullptr || mine.operation == Operation::none) return;
  trace::Event event;
  event.operation = mine.operation;
  event.start_ns = start_ns_;
  event.end_ns = end;
  event.bytes = bytes_sent(mine, rank_, group_->size());
  event.modelled = mine.operation == Operation::all_reduce;
  if (mine.operation == Operation::all_to_all) event.rows_to = mine.send_rows;
  event.group = group_->number;
  event.sequence = sequence_;
  trace::Recorder::communication(recorder_, std::move(event));
}

}  // namespace duet::comm
