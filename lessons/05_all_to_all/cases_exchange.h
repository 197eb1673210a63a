#pragma once
/// An exchange of this lesson's cases: who has how many rows for whom, what that makes of each rank's input and output,
/// and what those get who took a wrong turn.
#include <algorithm>
#include <functional>
#include <string>

#include "lesson.h"

namespace duet::lessons::all_to_all {

/// [from][to] rows.
using Counts = std::vector<std::vector<std::int64_t>>;

/// The rows of one rank for another: [count, D].
using MakeBlock = std::function<at::Tensor(std::size_t from, std::size_t to, std::int64_t count)>;

/// Rows that say where they come from, where they go, and their number: [count, 3].
inline at::Tensor telling_block(std::size_t from, std::size_t to, std::int64_t count) {
  std::vector<std::vector<double>> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push_back({static_cast<double>(from), static_cast<double>(to), static_cast<double>(i)});
  }
  return count == 0 ? at::empty({0, 3}, at::kDouble) : table(rows);
}

struct Exchange {
  Counts counts;
  MakeBlock block;

  std::size_t ranks() const { return counts.size(); }

  std::vector<std::int64_t> sent_by(std::size_t rank) const { return counts[rank]; }

  std::vector<std::int64_t> received_by(std::size_t rank) const {
    std::vector<std::int64_t> rows;
    for (const auto& of_sender : counts) rows.push_back(of_sender[rank]);
    return rows;
  }

  at::Tensor rows_of(std::size_t rank) const {
    std::vector<at::Tensor> blocks;
    for (std::size_t peer = 0; peer < ranks(); ++peer) blocks.push_back(block(rank, peer, counts[rank][peer]));
    return at::cat(blocks);
  }

  std::vector<at::Tensor> blocks_for(std::size_t rank) const {
    std::vector<at::Tensor> blocks;
    for (std::size_t peer = 0; peer < ranks(); ++peer) blocks.push_back(block(peer, rank, counts[peer][rank]));
    return blocks;
  }
};

inline std::vector<std::string> names(const std::string& before, const std::vector<std::int64_t>& rows) {
  std::vector<std::string> labels;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    for (std::int64_t i = 0; i < rows[rank]; ++i) labels.push_back(before + " rank " + std::to_string(rank));
  }
  return labels;
}

inline at::Tensor own_rows_missing(const Exchange& exchange, std::size_t rank) {
  auto blocks = exchange.blocks_for(rank);
  blocks[rank] = at::full_like(blocks[rank], -1);
  return at::cat(blocks);
}

inline at::Tensor own_rows_first(const Exchange& exchange, std::size_t rank) {
  auto blocks = exchange.blocks_for(rank);
  std::rotate(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(rank),
              blocks.begin() + static_cast<std::ptrdiff_t>(rank) + 1);
  return at::cat(blocks);
}

inline at::Tensor own_rows_last(const Exchange& exchange, std::size_t rank) {
  auto blocks = exchange.blocks_for(rank);
  std::rotate(blocks.begin() + static_cast<std::ptrdiff_t>(rank),
              blocks.begin() + static_cast<std::ptrdiff_t>(rank) + 1, blocks.end());
  return at::cat(blocks);
}

inline std::vector<Suspect> wrong_turns(const Exchange& exchange, std::size_t rank) {
  const std::string order =
      "The right rows in another order: sources in order, rank 0's rows first, and this rank's own where its number "
      "stands. Whoever reads `received` knows a row's source by its place alone.";
  const auto expected = at::cat(exchange.blocks_for(rank));
  return {{own_rows_missing(exchange, rank),
           "Own rows are missing (the -1 are what `received` held before). Rows that a rank has for itself travel to "
           "nobody, but they belong in `received` too: copy them, without a message."},
          {own_rows_first(exchange, rank), order},
          {own_rows_last(exchange, rank), order},
          {at::full_like(expected, -1),
           "Nothing was written into `received`: it holds what it held before. receive into a part of it "
           "(received.narrow(0, start, length) is no copy), or copy_ into one."}};
}

}  // namespace duet::lessons::all_to_all
