#include "comm/posting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace duet::comm {

namespace {

using trace::Operation;

std::optional<Disagreement> differ(const Posting& a, const Posting& b, int rank_a, int rank_b, std::uint64_t sequence) {
  if (a.operation != b.operation) {
    return Disagreement{fmt::format("rank {} calls {} #{}, but rank {} calls {} #{}", rank_a, operation_name(a),
                                    sequence, rank_b, operation_name(b), sequence),
                        "the ranks do not call the same operations in the same order"};
  }
  if (a.dtype != b.dtype) {
    return Disagreement{
        fmt::format("rank {} has {} values, but rank {} has {}", rank_a, name(a.dtype), rank_b, name(b.dtype)),
        "a tensor was made with another dtype on one rank"};
  }
  if (a.row_elements != b.row_elements) {
    return Disagreement{fmt::format("a row has {} values on rank {}, but {} on rank {}", a.row_elements, rank_a,
                                    b.row_elements, rank_b),
                        "the trailing shape of the tensor differs between ranks"};
  }
  if (a.values != b.values) {
    return Disagreement{fmt::format("rank {} has {} values, but rank {} has {}", rank_a, a.values, rank_b, b.values),
                        "this operation needs the same size on every rank"};
  }
  if (a.root != b.root) {
    return Disagreement{fmt::format("rank {} names root {}, but rank {} names root {}", rank_a, a.root, rank_b, b.root),
                        "the root was computed from something that differs between ranks"};
  }
  return std::nullopt;
}

std::optional<Disagreement> rows_differ(std::span<const Posting* const> postings, std::span<const int> ranks) {
  for (std::size_t from = 0; from < postings.size(); ++from) {
    for (std::size_t to = 0; to < postings.size(); ++to) {
      const auto sent = postings[from]->send_rows[to];
      const auto expected = postings[to]->receive_rows[from];
      if (sent == expected) continue;
      return Disagreement{fmt::format("rank {} would receive {} rows from rank {}, but rank {} sends {}", ranks[to],
                                      expected, ranks[from], ranks[from], sent),
                          "the plan was made from this rank's counts instead of the sender's"};
    }
  }
  return std::nullopt;
}

}  // namespace

const char* operation_name(const Posting& posting) {
  return posting.operation == Operation::none ? "split" : trace::name(posting.operation);
}

void Posting::clear(Operation next) {
  send_rows.clear();
  receive_rows.clear();
  *this = Posting{.operation = next, .send_rows = std::move(send_rows), .receive_rows = std::move(receive_rows)};
}

std::optional<Disagreement> find_disagreement(std::span<const Posting* const> postings, std::span<const int> ranks,
                                              std::uint64_t sequence) {
  for (std::size_t i = 1; i < postings.size(); ++i) {
    if (auto found = differ(*postings[0], *postings[i], ranks[0], ranks[i], sequence)) return found;
  }
  if (postings[0]->operation == Operation::all_to_all) return rows_differ(postings, ranks);
  return std::nullopt;
}

ErrorText disagreement_error(const Disagreement& found, const Posting& mine, std::span<const int> ranks,
                             std::uint64_t sequence, int world_size) {
  auto where = fmt::format("{} #{}", operation_name(mine), sequence);
  if (std::ssize(ranks) < world_size) where += fmt::format(" of the group of ranks {}", fmt::join(ranks, ", "));
  return {.what = found.what, .where = std::move(where), .usually = found.usually, .fix = {}};
}

}  // namespace duet::comm
