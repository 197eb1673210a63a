#include "comm/mpi/mpi_messages.h"

#include <fmt/format.h>

#include <array>

#include "comm/message_check.h"
#include "comm/mpi/transfers.h"
#include "comm/mpi/wrong_size.h"

namespace duet::comm {

namespace {

/// One end of a message, under way.
class Message : private Pending {
 public:
  Message(MpiGroup& group, int from, int to, std::uint64_t number)
      : group_(group),
        from_(from),
        to_(to),
        number_(number),
        transfers_(group.comm.get(), group.world->options().largest_message) {
    group.world->refuse_after_failure(*this);
  }
  ~Message() override {
    if (!done_) transfers_.abandon(group_.world->drain_until());
  }

  /// Both ends tell each other what they hold, and compare.
  void compare(const ConstRows& mine) {
    const Shape own{static_cast<std::int64_t>(mine.dtype), mine.row_elements,
                    static_cast<std::int64_t>(mine.bytes.size())};
    Shape other{};
    transfers_.receive(peer(), tag(sends() ? Stage::message_answer : Stage::message_offer), bytes_of(other));
    transfers_.send(peer(), tag(sends() ? Stage::message_offer : Stage::message_answer), std::as_bytes(std::span(own)));
    await();
    const auto found = find_mismatch(rows_of(sends() ? own : other), rows_of(sends() ? other : own),
                                     group_.world_rank(from_), group_.world_rank(to_), number_);
    if (found) throw RankError(*found);
  }

  void send(const ConstRows& rows) {
    transfers_.send_synchronously(to_, tag(Stage::message), rows.bytes);
    await();
  }

  void receive(const Rows& rows) {
    transfers_.receive(from_, tag(Stage::message), rows.bytes);
    await();
  }

 private:
  using Shape = std::array<std::int64_t, 3>;

  static std::span<std::byte> bytes_of(Shape& shape) { return std::as_writable_bytes(std::span(shape)); }

  // Rows of that shape, for the comparison: no byte of them is read.
  static ConstRows rows_of(const Shape& shape) {
    static constexpr std::byte none{};
    return {{&none, static_cast<std::size_t>(shape[2])}, static_cast<DType>(shape[0]), shape[1]};
  }

  bool sends() const { return group_.rank == from_; }
  int peer() const { return sends() ? to_ : from_; }
  int tag(Stage stage) const { return MpiGroup::tag(number_, stage); }
  std::string name() const { return fmt::format("{} #{}", sends() ? "send" : "receive", number_); }

  void await() {
    done_ = false;
    group_.world->await(*this, group_.world->options().deadline);
    done_ = true;
  }

  bool ready() override {
    const bool done = transfers_.test();
    if (transfers_.wrong_size()) throw RankError(wrong_size_error(*transfers_.wrong_size(), group_, name()));
    return done;
  }

  Waiting waiting() const override {
    return {.rank = group_.world->rank(), .operation = name(), .missing = {group_.world_rank(peer())}};
  }

  MpiGroup& group_;
  const int from_, to_;
  const std::uint64_t number_;
  bool done_ = true;
  Transfers transfers_;
};

}  // namespace

std::uint64_t send_message(MpiGroup& group, int to, ConstRows rows) {
  const auto number = ++group.sent[static_cast<std::size_t>(to)];
  Message message(group, group.rank, to, number);
  if (group.world->options().checked) message.compare(rows);
  message.send(rows);
  return number;
}

std::uint64_t receive_message(MpiGroup& group, int from, Rows rows) {
  const auto number = ++group.received[static_cast<std::size_t>(from)];
  Message message(group, from, group.rank, number);
  if (group.world->options().checked) message.compare(rows);
  message.receive(rows);
  return number;
}

}  // namespace duet::comm
