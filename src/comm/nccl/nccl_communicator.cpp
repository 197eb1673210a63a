#include "comm/nccl/nccl_communicator.h"

#include "comm/check_arguments.h"
#include "comm/message_check.h"
#include "comm/nccl/nccl_messages.h"
#include "comm/nccl/nccl_operation.h"
#include "comm/split_order.h"
#include "core/clock.h"

namespace duet::comm {

namespace {

using trace::Operation;

class NcclCommunicator : public Communicator {
 public:
  explicit NcclCommunicator(std::shared_ptr<NcclGroup> group) : group_(std::move(group)) {}

  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }
  std::string_view transport() const override { return "nccl"; }
  bool shares_memory() const override { return group_->world().one_process; }

  void send(ConstRows rows, int to) override {
    check_peer(*this, "send", to);
    const auto start = now_ns();
    const auto number = send_message(*group_, to, rows);
    record_message(Operation::send, start, static_cast<std::int64_t>(rows.bytes.size()),
                   message_number(rank(), to, number));
  }

  void receive(Rows rows, int from) override {
    check_peer(*this, "receive", from);
    const auto start = now_ns();
    const auto number = receive_message(*group_, from, rows);
    record_message(Operation::receive, start, 0, message_number(from, rank(), number));
  }

  void all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                  std::span<const std::int64_t> receive_rows) override {
    start_all_to_all(send, send_rows, receive, receive_rows)->wait();
  }

  std::unique_ptr<Started> start_all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                                            std::span<const std::int64_t> receive_rows) override {
    check_exchange(*this, send, send_rows, receive, receive_rows);
    auto operation = make(Operation::all_to_all);
    auto& posting = operation->posting();
    posting.dtype = send.dtype;
    posting.row_elements = send.row_elements;
    posting.send = send.bytes.data();
    posting.receive = receive.bytes.data();
    posting.send_rows.assign(send_rows.begin(), send_rows.end());
    posting.receive_rows.assign(receive_rows.begin(), receive_rows.end());
    operation->start();
    return operation;
  }

  void all_reduce(Rows inout) override { start_all_reduce(inout)->wait(); }

  std::unique_ptr<Started> start_all_reduce(Rows inout) override {
    return start_values(Operation::all_reduce, inout, inout.bytes.data(), inout);
  }

  void all_gather(ConstRows mine, Rows all) override {
    check_parts(*this, "all_gather", mine, all);
    start_values(Operation::all_gather, mine, all.bytes.data(), mine)->wait();
  }

  void reduce_scatter(ConstRows all, Rows mine) override {
    check_parts(*this, "reduce_scatter", mine, all);
    start_values(Operation::reduce_scatter, all, mine.bytes.data(), mine)->wait();
  }

  void broadcast(Rows inout, int root) override {
    check_root(*this, root);
    start_values(Operation::broadcast, inout, inout.bytes.data(), inout, root)->wait();
  }

  void barrier(std::optional<Deadline> deadline) override {
    auto operation = make(Operation::barrier);
    if (deadline) operation->set_deadline(*deadline);
    operation->start();
    operation->wait();
  }

  std::unique_ptr<Communicator> split(int color, int key) override {
    auto& group = *group_;
    const CollectiveWait wait(group, ++group.sequence, "split");
    std::shared_ptr<NcclGroup> part;
    group.guard(wait, [&] { part = make_part(wait, color, key); });
    auto comm = std::make_unique<NcclCommunicator>(std::move(part));
    comm->set_algorithms(algorithms());
    return comm;
  }

 private:
  std::unique_ptr<NcclOperation> make(Operation operation) {
    return std::make_unique<NcclOperation>(group_, operation, recorder());
  }

  // `part` is what the operation counts: a rank's share of what moves.
  std::unique_ptr<NcclOperation> start_values(Operation kind, ConstRows send, std::byte* receive, ConstRows part,
                                              int root = 0) {
    auto operation = make(kind);
    auto& posting = operation->posting();
    posting.dtype = send.dtype;
    posting.row_elements = send.row_elements;
    posting.send = send.bytes.data();
    posting.receive = receive;
    posting.values = static_cast<std::int64_t>(part.bytes.size() / size_of(part.dtype));
    posting.root = root;
    operation->start();
    return operation;
  }

  // The ranks always tell each other color and key, checked or not, so that all know the parts and their numbers.
  std::shared_ptr<NcclGroup> make_part(const Wait& wait, int color, int key) {
    auto& group = *group_;
    if (group.progress() != nullptr) group.progress()->enter(group.rank(), group.sequence);
    Posting mine;
    mine.color = color;
    mine.key = key;
    const auto agreement = agree(group, wait, group.world().deadline, mine);
    std::vector<SplitWish> wishes;
    for (const auto& each : agreement.postings) wishes.push_back({.color = each.color, .key = each.key});
    const auto groups = groups_of_split(wishes);
    const auto place = place_in_split(groups, group.rank());
    const auto& members = groups[place.group];
    const auto number = agreement.numbers[static_cast<std::size_t>(members.front())];
    if (members.front() == group.rank()) ++group.world().groups_led;
    return group.part(wait, static_cast<int>(place.group), members, number);
  }

  void record_message(Operation operation, std::int64_t start, std::int64_t bytes, std::uint64_t sequence) const {
    group_->world().watch->mark_alive();
    if (recorder() == nullptr) return;
    trace::Event event;
    event.operation = operation;
    event.start_ns = start;
    event.end_ns = now_ns();
    event.bytes = bytes;
    event.group = group_->number();
    event.sequence = sequence;
    trace::Recorder::communication(recorder(), std::move(event));
  }

  const std::shared_ptr<NcclGroup> group_;
};

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(std::shared_ptr<NcclGroup> group) {
  return std::make_unique<NcclCommunicator>(std::move(group));
}

}  // namespace duet::comm
