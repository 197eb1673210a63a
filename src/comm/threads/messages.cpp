#include "comm/threads/messages.h"

#include <fmt/format.h>

#include <cstring>

#include "comm/message_check.h"

namespace duet::comm {

namespace {

/// One end of a channel waits for the other.
class ChannelWait : public Wait {
 public:
  ChannelWait(const Group& group, int rank, int peer, const std::atomic<std::uint64_t>& counter, std::uint64_t number,
              const char* operation)
      : rank_(group.world_rank(rank)),
        peer_(group.world_rank(peer)),
        counter_(counter),
        number_(number),
        operation_(operation) {}

  int rank() const override { return rank_; }
  bool ready() const override { return counter_.load() >= number_; }
  std::vector<int> missing() const override { return ready() ? std::vector<int>{} : std::vector<int>{peer_}; }
  std::string operation() const override { return fmt::format("{} #{}", operation_, number_); }

 private:
  const int rank_, peer_;
  const std::atomic<std::uint64_t>& counter_;
  const std::uint64_t number_;
  const char* const operation_;
};

}  // namespace

std::uint64_t send_message(Group& group, int from, int to, ConstRows rows) {
  auto& channel = group.channel(from, to);
  auto& world = *group.world;
  const auto number = channel.offered.load() + 1;
  const ChannelWait wait(group, from, to, channel.taken, number, "send");
  if (world.has_failed()) world.throw_failed(wait);
  channel.rows = rows;
  channel.offered.store(number);
  world.changed();
  try {
    world.await(wait, world.deadline());
  } catch (...) {
    channel.gate.close();  // `rows` may die with the caller
    throw;
  }
  if (channel.refused) throw RankError(*channel.refused);
  return number;
}

std::uint64_t receive_message(Group& group, int to, int from, Rows rows) {
  auto& channel = group.channel(from, to);
  auto& world = *group.world;
  const auto number = channel.taken.load() + 1;
  const ChannelWait wait(group, to, from, channel.offered, number, "receive");
  world.await(wait, world.deadline());
  {
    const ReadGate::Pass pass(channel.gate);
    if (!pass) world.throw_failed(wait);
    channel.refused = find_mismatch(channel.rows, rows, group.world_rank(from), group.world_rank(to), number);
    if (!channel.refused && !rows.bytes.empty()) {
      std::memcpy(rows.bytes.data(), channel.rows.bytes.data(), rows.bytes.size());
    }
  }
  const auto refused = channel.refused;
  if (refused) world.fail(group.world_rank(to), std::make_exception_ptr(RankError(*refused)));
  channel.taken.store(number);
  world.changed();
  if (refused) throw RankError(*refused);
  return number;
}

}  // namespace duet::comm
