#pragma once
/// One token's way through a layer: its choices, its rows in the exchange, and why a pair was dropped.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/record.h"

namespace duet::viz {

/// One (token, choice) pair.
struct PairPath {
  std::int64_t expert = 0;
  float gate = 0;
  trace::DropReason reason = trace::DropReason::kept;
  int owner = 0;  ///< the rank that holds the expert for this token
  std::int64_t place =
      0;  ///< among the kept pairs that its rank has for the expert, from 0; a dropped one's: among those
  std::int64_t kept = 0;  ///< how many such there are: rows that the rank sends to the expert
  std::int64_t row = -1;  ///< among all rows that the rank sends, grouped by rank, then by expert; -1: dropped
  bool dropped() const { return reason != trace::DropReason::kept; }
};

struct TokenPath {
  int rank = 0;
  const trace::TokenRoute* route = nullptr;
  std::vector<PairPath> pairs;  ///< best first
};

/// Whether the record has single tokens of that layer.
bool has_tokens(const trace::StepRecord& step, std::size_t layer);

/// Of the token with that number on that rank, or wherever it is (another mode may have it on another); none: it is
/// not in the record.
std::optional<TokenPath> path_of(const trace::StepRecord& step, std::size_t layer, std::int64_t rank,
                                 std::int64_t token);

/// "over capacity: expert 1 takes 35, and 35 earlier pairs had them", for a dropped pair of that path.
std::string why_dropped(const trace::StepRecord& step, std::size_t layer, const TokenPath& path, const PairPath& pair);

/// A drop rule in few words: "over capacity", "lower gate", "by lot".
const char* words_of(trace::DropReason reason);

/// What the pointer on a token tells, line by line.
std::vector<std::string> tell_token(const trace::StepRecord& step, std::size_t layer, std::int64_t rank,
                                    std::int64_t token);

/// "E3 1.20, E0 0.31": by expert, or where there are many the highest first.
std::string tell_logits(const trace::TokenRoute& route);

}  // namespace duet::viz
