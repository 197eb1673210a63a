#include "comm/threads/move_rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "comm/add_rows.h"

namespace duet::comm {

namespace {

std::int64_t width(const Posting& posting) { return static_cast<std::int64_t>(size_of(posting.dtype)); }

std::int64_t row_bytes(const Posting& posting) { return posting.row_elements * width(posting); }

void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

std::int64_t rows_before(const std::vector<std::int64_t>& rows, int rank) {
  return std::accumulate(rows.begin(), rows.begin() + rank, std::int64_t{0});
}

// Sums `values` values at byte `offset` of every rank's send buffer, in rank order, into `into`, which may be this
// rank's own part of it: a block at a time goes through a buffer aside.
void sum_in_rank_order(const Slot& slot, int size, std::int64_t offset, std::int64_t values, std::byte* into) {
  constexpr std::int64_t block_bytes = 4096;
  alignas(64) std::array<std::byte, block_bytes> sum{};
  const auto& first = slot.posting(0);
  const auto block = block_bytes / width(first);
  for (std::int64_t start = 0; start < values; start += block) {
    const auto count = std::min(block, values - start);
    const auto at = offset + start * width(first);
    copy_bytes(sum.data(), first.send + at, count * width(first));
    for (int peer = 1; peer < size; ++peer) add_values(first.dtype, sum.data(), slot.posting(peer).send + at, count);
    copy_bytes(into + start * width(first), sum.data(), count * width(first));
  }
}

std::vector<std::vector<int>> split_of(const Slot& slot, int size) {
  std::vector<SplitWish> wishes;
  for (int rank = 0; rank < size; ++rank) {
    wishes.push_back({.color = slot.posting(rank).color, .key = slot.posting(rank).key});
  }
  return groups_of_split(wishes);
}

}  // namespace

void copy_my_rows(const Slot& slot, int rank, int size) {
  const auto& mine = slot.posting(rank);
  auto* to = mine.receive;
  for (int source = 0; source < size; ++source) {
    const auto& theirs = slot.posting(source);
    const auto bytes = mine.receive_rows[static_cast<std::size_t>(source)] * row_bytes(mine);
    if (bytes > 0) copy_bytes(to, theirs.send + rows_before(theirs.send_rows, rank) * row_bytes(mine), bytes);
    to += bytes;
  }
}

void sum_my_chunk(const Slot& slot, int rank, int size) {
  const auto& mine = slot.posting(rank);
  const auto chunk = chunk_of(mine.values, size, rank);
  const auto offset = chunk.start * width(mine);
  sum_in_rank_order(slot, size, offset, chunk.size, mine.receive + offset);
}

void copy_other_chunks(const Slot& slot, int rank, int size) {
  const auto& mine = slot.posting(rank);
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    const auto chunk = chunk_of(mine.values, size, peer);
    const auto offset = chunk.start * width(mine);
    copy_bytes(mine.receive + offset, slot.posting(peer).send + offset, chunk.size * width(mine));
  }
}

void gather_parts(const Slot& slot, int rank, int size) {
  const auto& mine = slot.posting(rank);
  const auto bytes = mine.values * width(mine);
  for (int peer = 0; peer < size; ++peer) copy_bytes(mine.receive + peer * bytes, slot.posting(peer).send, bytes);
}

void sum_my_part(const Slot& slot, int rank, int size) {
  const auto& mine = slot.posting(rank);
  sum_in_rank_order(slot, size, rank * mine.values * width(mine), mine.values, mine.receive);
}

void copy_from_root(const Slot& slot, int rank) {
  const auto& mine = slot.posting(rank);
  copy_bytes(mine.receive, slot.posting(mine.root).send, mine.values * width(mine));
}

std::vector<std::shared_ptr<Group>> make_groups(const Group& parent, const Slot& slot) {
  const auto members = split_of(slot, parent.size());
  auto number = parent.world->new_groups(static_cast<std::uint32_t>(members.size()));
  std::vector<std::shared_ptr<Group>> groups;
  groups.reserve(members.size());
  for (const auto& part : members) {
    std::vector<int> ranks;
    for (const int rank : part) ranks.push_back(parent.world_rank(rank));
    groups.push_back(std::make_shared<Group>(parent.world, std::move(ranks), number++));
  }
  return groups;
}

PlaceInSplit place_in_split(const Slot& slot, int rank, int size) { return place_in_split(split_of(slot, size), rank); }

}  // namespace duet::comm
