#include "comm/mpi/mpi_communicator.h"

#include "comm/check_arguments.h"
#include "comm/message_check.h"
#include "comm/mpi/mpi_collective.h"
#include "comm/mpi/mpi_messages.h"
#include "comm/mpi/mpi_split.h"
#include "core/clock.h"

namespace duet::comm {

namespace {

using trace::Operation;

class MpiCommunicator : public Communicator {
 public:
  explicit MpiCommunicator(std::shared_ptr<MpiGroup> group) : group_(std::move(group)) {}

  int rank() const override { return group_->rank; }
  int size() const override { return group_->size(); }
  std::string_view transport() const override { return "mpi"; }
  bool shares_memory() const override { return false; }

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
    auto operation = next(Operation::all_to_all);
    operation->posting().send_rows.assign(send_rows.begin(), send_rows.end());
    operation->posting().receive_rows.assign(receive_rows.begin(), receive_rows.end());
    start(*operation, send, receive.bytes.data(), 0);
    return operation;
  }

  void all_reduce(Rows inout) override { start_all_reduce(inout)->wait(); }

  std::unique_ptr<Started> start_all_reduce(Rows inout) override {
    auto operation = next(Operation::all_reduce);
    start(*operation, inout, inout.bytes.data(), values(inout));
    return operation;
  }

  void all_gather(ConstRows mine, Rows all) override {
    check_parts(*this, "all_gather", mine, all);
    run(*next(Operation::all_gather), mine, all.bytes.data(), values(mine));
  }

  void reduce_scatter(ConstRows all, Rows mine) override {
    check_parts(*this, "reduce_scatter", mine, all);
    run(*next(Operation::reduce_scatter), all, mine.bytes.data(), values(mine));
  }

  void broadcast(Rows inout, int root) override {
    check_root(*this, root);
    const auto operation = next(Operation::broadcast);
    operation->posting().root = root;
    run(*operation, inout, inout.bytes.data(), values(inout));
  }

  void barrier(std::optional<Deadline> deadline) override {
    const auto operation = next(Operation::barrier);
    if (deadline) operation->set_deadline(*deadline);
    operation->start();
    operation->wait();
  }

  std::unique_ptr<Communicator> split(int color, int key) override {
    const auto operation = next(Operation::none);
    operation->posting().color = color;
    operation->posting().key = key;
    operation->start();
    operation->wait();
    auto part = std::make_unique<MpiCommunicator>(split_group(*group_, operation->headers()));
    part->set_algorithms(algorithms());
    return part;
  }

 private:
  static std::int64_t values(ConstRows rows) {
    return static_cast<std::int64_t>(rows.bytes.size() / size_of(rows.dtype));
  }

  std::unique_ptr<MpiCollective> next(Operation operation) {
    return std::make_unique<MpiCollective>(group_, ++sequence_, operation, recorder());
  }

  // `values` is what the operation counts: of a rank's share of what moves.
  static void start(MpiCollective& operation, ConstRows send, std::byte* receive, std::int64_t values) {
    auto& posting = operation.posting();
    posting.dtype = send.dtype;
    posting.row_elements = send.row_elements;
    posting.send = send.bytes.data();
    posting.receive = receive;
    posting.values = values;
    operation.start();
  }

  static void run(MpiCollective& operation, ConstRows send, std::byte* receive, std::int64_t values) {
    start(operation, send, receive, values);
    operation.wait();
  }

  void record_message(Operation operation, std::int64_t start, std::int64_t bytes, std::uint64_t sequence) const {
    if (recorder() == nullptr) return;
    trace::Event event;
    event.operation = operation;
    event.start_ns = start;
    event.end_ns = now_ns();
    event.bytes = bytes;
    event.group = group_->number;
    event.sequence = sequence;
    trace::Recorder::communication(recorder(), std::move(event));
  }

  const std::shared_ptr<MpiGroup> group_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<MpiGroup> group) {
  return std::make_unique<MpiCommunicator>(std::move(group));
}

}  // namespace duet::comm
