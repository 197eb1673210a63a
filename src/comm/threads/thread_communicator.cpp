#include "comm/threads/thread_communicator.h"

#include "comm/check_arguments.h"
#include "comm/message_check.h"
#include "comm/threads/collective.h"
#include "comm/threads/messages.h"
#include "comm/threads/move_rows.h"
#include "core/clock.h"

namespace duet::comm {

namespace {

using trace::Operation;

class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return group_->size(); }
  std::string_view transport() const override { return "threads"; }
  bool shares_memory() const override { return true; }

  void send(ConstRows rows, int to) override {
    check_peer(*this, "send", to);
    const auto start = alive_now();
    const auto number = send_message(*group_, rank_, to, rows);
    record_message(Operation::send, start, static_cast<std::int64_t>(rows.bytes.size()),
                   message_number(rank_, to, number));
  }

  void receive(Rows rows, int from) override {
    check_peer(*this, "receive", from);
    const auto start = alive_now();
    const auto number = receive_message(*group_, rank_, from, rows);
    record_message(Operation::receive, start, 0, message_number(from, rank_, number));
  }

  void all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                  std::span<const std::int64_t> receive_rows) override {
    check_exchange(*this, send, send_rows, receive, receive_rows);
    Collective operation(group_, rank_, ++sequence_, Operation::all_to_all, recorder());
    post_exchange(operation, send, send_rows, receive, receive_rows);
    operation.wait();
  }

  std::unique_ptr<Started> start_all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                                            std::span<const std::int64_t> receive_rows) override {
    check_exchange(*this, send, send_rows, receive, receive_rows);
    auto operation = std::make_unique<Collective>(group_, rank_, ++sequence_, Operation::all_to_all, recorder());
    post_exchange(*operation, send, send_rows, receive, receive_rows);
    return operation;
  }

  void all_reduce(Rows inout) override {
    Collective operation(group_, rank_, ++sequence_, Operation::all_reduce, recorder());
    post_values(operation, inout, inout.bytes.data(), inout);
    operation.wait();
  }

  std::unique_ptr<Started> start_all_reduce(Rows inout) override {
    auto operation = std::make_unique<Collective>(group_, rank_, ++sequence_, Operation::all_reduce, recorder());
    post_values(*operation, inout, inout.bytes.data(), inout);
    return operation;
  }

  void all_gather(ConstRows mine, Rows all) override {
    check_parts(*this, "all_gather", mine, all);
    Collective operation(group_, rank_, ++sequence_, Operation::all_gather, recorder());
    post_values(operation, mine, all.bytes.data(), mine);
    operation.wait();
  }

  void reduce_scatter(ConstRows all, Rows mine) override {
    check_parts(*this, "reduce_scatter", mine, all);
    Collective operation(group_, rank_, ++sequence_, Operation::reduce_scatter, recorder());
    post_values(operation, all, mine.bytes.data(), mine);
    operation.wait();
  }

  void broadcast(Rows inout, int root) override {
    check_root(*this, root);
    Collective operation(group_, rank_, ++sequence_, Operation::broadcast, recorder());
    operation.posting().root = root;
    post_values(operation, inout, inout.bytes.data(), inout);
    operation.wait();
  }

  void barrier(std::optional<Deadline> deadline) override {
    Collective operation(group_, rank_, ++sequence_, Operation::barrier, recorder());
    if (deadline) operation.set_deadline(*deadline);
    operation.post();
    operation.wait();
  }

  std::unique_ptr<Communicator> split(int color, int key) override {
    Collective operation(group_, rank_, ++sequence_, Operation::none, nullptr);
    operation.posting().color = color;
    operation.posting().key = key;
    operation.post();
    operation.wait();
    auto part = std::make_unique<ThreadCommunicator>(operation.new_group(), operation.new_rank());
    part->set_algorithms(algorithms());
    return part;
  }

 private:
  static void post_exchange(Collective& operation, ConstRows send, std::span<const std::int64_t> send_rows,
                            Rows receive, std::span<const std::int64_t> receive_rows) {
    auto& posting = operation.posting();
    posting.dtype = send.dtype;
    posting.row_elements = send.row_elements;
    posting.send = send.bytes.data();
    posting.receive = receive.bytes.data();
    posting.send_rows.assign(send_rows.begin(), send_rows.end());
    posting.receive_rows.assign(receive_rows.begin(), receive_rows.end());
    operation.post();
  }

  // `part` is what the operation counts: a rank's share of what moves.
  static void post_values(Collective& operation, ConstRows send, std::byte* receive, ConstRows part) {
    auto& posting = operation.posting();
    posting.dtype = send.dtype;
    posting.row_elements = send.row_elements;
    posting.send = send.bytes.data();
    posting.receive = receive;
    posting.values = static_cast<std::int64_t>(part.bytes.size() / size_of(part.dtype));
    operation.post();
  }

  std::int64_t alive_now() const {
    const auto now = now_ns();
    group_->world->mark_alive(group_->world_rank(rank_), now);
    return now;
  }

  void record_message(Operation operation, std::int64_t start, std::int64_t bytes, std::uint64_t sequence) const {
    const auto end = alive_now();
    if (recorder() == nullptr) return;
    trace::Event event;
    event.operation = operation;
    event.start_ns = start;
    event.end_ns = end;
    event.bytes = bytes;
    event.group = group_->number;
    event.sequence = sequence;
    trace::Recorder::communication(recorder(), std::move(event));
  }

  const std::shared_ptr<Group> group_;
  const int rank_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> make_thread_communicator(std::shared_ptr<Group> group, int rank) {
  return std::make_unique<ThreadCommunicator>(std::move(group), rank);
}

}  // namespace duet::comm
