#include "comm/nccl/nccl_messages.h"

#include <array>

#include "comm/message_check.h"

namespace duet::comm {

namespace {

enum class Kind : std::int64_t { offer = 1, answer = 2 };

/// What one side says of a message.
struct Note {
  Kind kind = Kind::offer;
  std::uint64_t number = 0;
  ConstRows rows;  ///< only the size of the bytes counts
};

constexpr std::size_t note_size = 5;

void write(const NcclGroup& group, const Note& note) {
  const std::array<std::int64_t, note_size> values{static_cast<std::int64_t>(note.kind),
                                                   static_cast<std::int64_t>(note.number),
                                                   static_cast<std::int64_t>(note.rows.dtype), note.rows.row_elements,
                                                   static_cast<std::int64_t>(note.rows.bytes.size())};
  std::copy(values.begin(), values.end(), group.integers().host());
  group.integers().to_device(0, note_size, group.stream());
}

Note read(const NcclGroup& group) {
  const auto* const values = group.integers().host() + note_size;
  const std::span<const std::byte> size_only(static_cast<const std::byte*>(nullptr),
                                             static_cast<std::size_t>(values[4]));
  return {.kind = static_cast<Kind>(values[0]),
          .number = static_cast<std::uint64_t>(values[1]),
          .rows = {size_only, static_cast<DType>(values[2]), values[3]}};
}

/// Calls of one fused group.
class Batch {
 public:
  Batch(NcclGroup& group, const Wait& wait) : group_(group), wait_(wait), answer_(ncclGroupStart()) {}
  void send(const void* memory, std::size_t bytes, int to) {
    if (answer_ == ncclSuccess) answer_ = ncclSend(memory, bytes, ncclUint8, to, group_.comm(), group_.stream());
  }
  void receive(void* memory, std::size_t bytes, int from) {
    if (answer_ == ncclSuccess) answer_ = ncclRecv(memory, bytes, ncclUint8, from, group_.comm(), group_.stream());
  }
  void submit() {
    const auto ended = ncclGroupEnd();
    group_.submit(wait_, group_.world().deadline, "ncclSend and ncclRecv", answer_ == ncclSuccess ? ended : answer_);
  }

 private:
  NcclGroup& group_;
  const Wait& wait_;
  ncclResult_t answer_;
};

constexpr std::size_t note_bytes = note_size * sizeof(std::int64_t);

void after_compute(const NcclGroup& group) {
  const CudaEvent computed;
  const auto& current = group.world().compute_stream;
  computed.record(current ? static_cast<cudaStream_t>(current()) : nullptr);
  computed.hold_back(group.stream());
}

void finish(NcclGroup& group, const Wait& wait) { group.drain(wait, group.world().deadline); }

[[noreturn]] void throw_both_send(const NcclGroup& group, const Wait& wait, int peer, std::uint64_t theirs) {
  throw RankError(
      {.what = fmt::format("rank {} waits in {} for rank {}, which waits in send #{} for rank {}", group.world().rank,
                           wait.operation(), group.world_rank(peer), theirs, group.world().rank),
       .where = "send waits until its message was received, so neither comes to its receive",
       .usually = "all ranks send first and receive afterwards",
       .fix = "let the even ranks send first and the odd ones receive first"});
}

}  // namespace

std::uint64_t send_message(NcclGroup& group, int to, ConstRows rows) {
  const auto number = ++group.sent[static_cast<std::size_t>(to)];
  const MessageWait wait(group, true, to, number);
  group.guard(wait, [&] {
    if (group.progress() != nullptr) group.progress()->offer(group.rank(), to, number);
    write(group, {.kind = Kind::offer, .number = number, .rows = rows});
    Batch handshake(group, wait);
    handshake.send(group.integers().device(), note_bytes, to);
    handshake.receive(group.integers().device() + note_size, note_bytes, to);
    handshake.submit();
    group.integers().to_host(note_size, note_size, group.stream());
    finish(group, wait);
    const auto answer = read(group);
    if (answer.kind != Kind::answer) throw_both_send(group, wait, to, answer.number);
    const auto refused = find_mismatch(rows, answer.rows, group.world().rank, group.world_rank(to), number);
    if (refused) throw RankError(*refused);
    if (rows.bytes.empty()) return;
    after_compute(group);
    Batch data(group, wait);
    data.send(rows.bytes.data(), rows.bytes.size(), to);
    data.submit();
    finish(group, wait);
  });
  return number;
}

std::uint64_t receive_message(NcclGroup& group, int from, Rows rows) {
  const auto number = ++group.received[static_cast<std::size_t>(from)];
  const MessageWait wait(group, false, from, number);
  group.guard(wait, [&] {
    if (group.progress() != nullptr) group.progress()->want(from, group.rank(), number);
    Batch offered(group, wait);
    offered.receive(group.integers().device() + note_size, note_bytes, from);
    offered.submit();
    group.integers().to_host(note_size, note_size, group.stream());
    finish(group, wait);
    const auto refused = find_mismatch(read(group).rows, rows, group.world_rank(from), group.world().rank, number);
    write(group, {.kind = Kind::answer, .number = number, .rows = rows});
    after_compute(group);
    Batch data(group, wait);
    data.send(group.integers().device(), note_bytes, from);
    if (!refused && !rows.bytes.empty()) data.receive(rows.bytes.data(), rows.bytes.size(), from);
    data.submit();
    finish(group, wait);
    if (refused) throw RankError(*refused);
  });
  return number;
}

}  // namespace duet::comm
