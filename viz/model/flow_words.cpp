#include "viz/model/flow_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace duet::viz {

namespace {

// "5 rows to rank 1, 2 to rank 2", or "nothing": what a rank hands to others, or gets from them.
std::string with_others(const FlowBatch& batch, int rank, bool sends) {
  const char* const way = sends ? "to" : "from";
  std::string text;
  const auto add = [&](std::int64_t rows, const std::string& other) {
    if (rows == 0) return;
    text += text.empty() ? fmt::format("{} {} {}", rows_text(rows), way, other)
                         : fmt::format(", {} {} {}", rows, way, other);
  };
  for (int other = 0; other < batch.ranks(); ++other) {
    if (other != rank) add(batch.rows_between(rank, other), fmt::format("rank {}", other));
  }
  add(batch.rows_between(rank, -1), "ranks that are not drawn");
  return text.empty() ? "nothing" : text;
}

// One clause a rank for two ranks; of more, the first, and all of them in sum.
template <typename Clause>
std::string clauses(const FlowBatch& batch, const Clause& clause) {
  std::string text;
  const int most = batch.ranks() <= 2 ? batch.ranks() : 1;
  for (int rank = 0; rank < most; ++rank) text += (rank == 0 ? "" : "; ") + clause(rank);
  if (most == batch.ranks()) return text + ".";
  std::int64_t kept = 0, away = 0;
  for (const auto& row : batch.rows) {
    kept += row.kept() ? 1 : 0;
    away += row.kept() && row.owner != row.rank ? 1 : 0;
  }
  return fmt::format("{}. In all, {} of the {} change ranks.", text, away, rows_text(kept));
}

std::string told_row(const FlowRow& row, int choices) {
  const auto choice = choices == 1 ? std::string() : fmt::format("choice {}: ", row.slot + 1);
  const auto end = row.kept() ? fmt::format("row {} of what its rank sends", row.position)
                              : fmt::format("dropped: {}", trace::name(row.reason));
  return fmt::format("{}E{} on rank {}, gate {:.3f}, {}", choice, row.expert, row.owner, row.gate, end);
}

}  // namespace

std::string rows_text(std::int64_t count) { return fmt::format("{} row{}", count, count == 1 ? "" : "s"); }

std::string sends(const FlowBatch& batch) {
  return clauses(batch, [&](int rank) {
    return fmt::format("rank {} sends {} and keeps {}", rank, with_others(batch, rank, true),
                       batch.rows_between(rank, rank));
  });
}

std::string gets_back(const FlowBatch& batch) {
  return clauses(batch, [&](int rank) {
    return fmt::format("rank {} gets {} back, and has {} of its own", rank, with_others(batch, rank, false),
                       batch.rows_between(rank, rank));
  });
}

bool stays(const FlowBatch& batch) { return batch.spread == Spread::one_rank || batch.spread == Spread::copies; }

std::string why_it_stays(const FlowBatch& batch) {
  return batch.spread == Spread::one_rank ? "There is one rank, with all experts: nothing leaves it."
                                          : "Every rank has a copy of all experts: nothing leaves a rank.";
}

std::string of_experts(const FlowBatch& batch, bool kept_only) {
  std::vector<std::pair<std::int64_t, std::int64_t>> counts;  // expert, rows
  for (const auto& row : batch.rows) {
    if (kept_only && !row.kept()) continue;
    const auto known = std::find_if(counts.begin(), counts.end(), [&](auto& c) { return c.first == row.expert; });
    known == counts.end() ? (void)counts.emplace_back(row.expert, 1) : (void)++known->second;
  }
  if (counts.empty()) return "none";
  constexpr std::size_t most = 8;
  const bool many = counts.size() > most;
  if (many) {
    std::stable_sort(counts.begin(), counts.end(), [](auto& a, auto& b) { return a.second > b.second; });
    counts.resize(most);
  }
  std::sort(counts.begin(), counts.end());
  std::string text;
  for (const auto& [expert, rows] : counts) text += fmt::format("{}E{} {}", text.empty() ? "" : ", ", expert, rows);
  return text + (many ? " and others fewer" : "");
}

std::string tell_batch(const FlowBatch& batch) {
  if (std::accumulate(batch.tokens_in_all.begin(), batch.tokens_in_all.end(), std::int64_t{0}) == 0) {
    return "This step has no tokens.";
  }
  std::string text;
  const bool whole = batch.tokens_shown == batch.tokens_in_all;
  const bool alike =
      std::equal(batch.tokens_shown.begin() + 1, batch.tokens_shown.end(), batch.tokens_shown.begin()) &&
      std::equal(batch.tokens_in_all.begin() + 1, batch.tokens_in_all.end(), batch.tokens_in_all.begin());
  if (whole) {
    text = "All tokens are drawn.";
  } else if (alike) {
    text = fmt::format("Drawn: {} of each rank's {} tokens, and among them one that will be dropped, if there is one.",
                       batch.tokens_shown[0], batch.tokens_in_all[0]);
  } else {
    text = "Drawn: the first tokens of each rank, and among them one that will be dropped, if there is one.";
  }
  if (batch.ranks() < batch.ranks_in_all) {
    text += fmt::format(" Of {} ranks, {} are drawn; rows for the others leave at the right.", batch.ranks_in_all,
                        batch.ranks());
  }
  return text;
}

std::string tell_flow(const FlowBatch& batch, const Hit& hit) {
  std::string rows;
  std::int64_t count = 0, kept = 0;
  for (const auto& row : batch.rows) {
    if (!FlowBatch::is_about(hit, row)) continue;
    ++count;
    kept += row.kept() ? 1 : 0;
    rows += (rows.empty() ? "" : "; ") + (hit.thing == Thing::token ? told_row(row, batch.choices) : "");
  }
  switch (hit.thing) {
    case Thing::token:
      return count == 0 ? "" : fmt::format("token {} of rank {}: {}", hit.b, hit.a, rows);
    case Thing::expert:
      return fmt::format("E{} on rank {}: {} of the rows drawn, {} kept", hit.b, hit.a, count, kept);
    case Thing::rank:
      return fmt::format("rank {}: {} drawn, {} kept", hit.a, rows_text(count), kept);
    default:
      return "";
  }
}

}  // namespace duet::viz
