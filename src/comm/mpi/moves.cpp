#include "comm/mpi/moves.h"

#include <cstring>

#include "comm/add_rows.h"

namespace duet::comm {

namespace {

using trace::Operation;

std::size_t width(const Posting& posting) { return size_of(posting.dtype); }

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

void send(const Move& move, int to, Stage stage, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != move.group.rank) move.transfers.send(to, MpiGroup::tag(move.sequence, stage), {from, bytes});
}

void receive(const Move& move, int from, Stage stage, std::byte* to, std::size_t bytes) {
  if (bytes > 0 && from != move.group.rank) {
    move.transfers.receive(from, MpiGroup::tag(move.sequence, stage), {to, bytes});
  }
}

struct Part {
  std::size_t offset = 0, bytes = 0;
};

// Rank `rank`'s chunk of the values that are reduced.
Part chunk(const Move& move, int rank) {
  const auto found = chunk_of(move.posting.values, move.group.size(), rank);
  return {.offset = static_cast<std::size_t>(found.start) * width(move.posting),
          .bytes = static_cast<std::size_t>(found.size) * width(move.posting)};
}

// Receives first: a message that finds its place needs no other on its way.
void exchange_rows(const Move& move) {
  const auto& mine = move.posting;
  const auto row_bytes = static_cast<std::size_t>(mine.row_elements) * width(mine);
  const auto bytes = [&](const std::vector<std::int64_t>& rows, int rank) {
    return static_cast<std::size_t>(rows[static_cast<std::size_t>(rank)]) * row_bytes;
  };
  auto* own = mine.receive;
  auto* to = mine.receive;
  for (int peer = 0; peer < move.group.size(); ++peer) {
    if (peer == move.group.rank) own = to;
    receive(move, peer, Stage::first, to, bytes(mine.receive_rows, peer));
    to += bytes(mine.receive_rows, peer);
  }
  const auto* from = mine.send;
  for (int peer = 0; peer < move.group.size(); ++peer) {
    if (peer == move.group.rank) copy_bytes(own, from, bytes(mine.send_rows, peer));
    send(move, peer, Stage::first, from, bytes(mine.send_rows, peer));
    from += bytes(mine.send_rows, peer);
  }
}

// Every rank's part of what this rank adds up comes beside the others, ranks in order.
void gather_part(const Move& move, Part own, auto&& part_of) {
  const int ranks = move.group.size();
  move.aside = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(ranks) * own.bytes);
  const auto place = [&](int rank) { return move.aside.get() + static_cast<std::size_t>(rank) * own.bytes; };
  for (int peer = 0; peer < ranks; ++peer) receive(move, peer, Stage::first, place(peer), own.bytes);
  for (int peer = 0; peer < ranks; ++peer) {
    const Part part = part_of(peer);
    send(move, peer, Stage::first, move.posting.send + part.offset, part.bytes);
  }
  copy_bytes(place(move.group.rank), move.posting.send + own.offset, own.bytes);
}

void sum_in_rank_order(const Move& move, std::size_t bytes, std::byte* into) {
  const auto values = static_cast<std::int64_t>(bytes / width(move.posting));
  auto* const sum = move.aside.get();
  for (int peer = 1; peer < move.group.size(); ++peer) {
    add_values(move.posting.dtype, sum, sum + static_cast<std::size_t>(peer) * bytes, values);
  }
  copy_bytes(into, sum, bytes);
}

Part equal_part(const Move& move, int rank) {
  const auto bytes = static_cast<std::size_t>(move.posting.values) * width(move.posting);
  return {.offset = static_cast<std::size_t>(rank) * bytes, .bytes = bytes};
}

void gather_all(const Move& move, Stage stage, const std::byte* own, auto&& part_of) {
  const auto& mine = move.posting;
  for (int peer = 0; peer < move.group.size(); ++peer) {
    const Part part = part_of(peer);
    receive(move, peer, stage, mine.receive + part.offset, part.bytes);
  }
  const Part part = part_of(move.group.rank);
  for (int peer = 0; peer < move.group.size(); ++peer) send(move, peer, stage, own, part.bytes);
  copy_bytes(mine.receive + part.offset, own, part.bytes);
}

void broadcast(const Move& move) {
  const auto& mine = move.posting;
  const auto bytes = equal_part(move, 0).bytes;
  if (move.group.rank != mine.root) return receive(move, mine.root, Stage::first, mine.receive, bytes);
  for (int peer = 0; peer < move.group.size(); ++peer) send(move, peer, Stage::first, mine.send, bytes);
}

}  // namespace

void post_first(const Move& move) {
  const int rank = move.group.rank;
  switch (move.posting.operation) {
    case Operation::all_to_all:
      return exchange_rows(move);
    case Operation::all_reduce:
      return gather_part(move, chunk(move, rank), [&](int peer) { return chunk(move, peer); });
    case Operation::reduce_scatter:
      return gather_part(move, equal_part(move, rank), [&](int peer) { return equal_part(move, peer); });
    case Operation::all_gather:
      return gather_all(move, Stage::first, move.posting.send, [&](int peer) { return equal_part(move, peer); });
    case Operation::broadcast:
      return broadcast(move);
    default:
      return;
  }
}

bool post_second(const Move& move) {
  const auto& mine = move.posting;
  if (mine.operation == Operation::reduce_scatter) {
    sum_in_rank_order(move, equal_part(move, move.group.rank).bytes, mine.receive);
  }
  if (mine.operation != Operation::all_reduce) return false;
  const auto own = chunk(move, move.group.rank);
  sum_in_rank_order(move, own.bytes, mine.receive + own.offset);
  gather_all(move, Stage::second, mine.receive + own.offset, [&](int peer) { return chunk(move, peer); });
  return true;
}

}  // namespace duet::comm
