#pragma once
/// A step in a few numbers, read from its line without parsing the rest: what curves and the heat map show.
#include <cstdint>
#include <string_view>
#include <vector>

namespace duet::viz {

struct StepSummary {
  std::int64_t step = 0;
  int mode = 0;  ///< index into TraceIndex::modes()
  double loss = 0;
  double aux = 0;  ///< weight times value, summed
  double grad_norm = 0;
  double step_us = 0;
  std::int64_t capacity = -1;                   ///< -1: no limit
  std::vector<std::int64_t> tokens_per_expert;  ///< of the first layer, summed over ranks, before dropping
  std::vector<std::int64_t> dropped_per_expert;

  double std() const;      ///< of tokens_per_expert, n - 1
  double dropped() const;  ///< share of all pairs
};

/// What stands behind the first `key` in `text`; empty where it does not occur.
std::string_view after(std::string_view text, std::string_view key);

/// Reads what it finds; what a line lacks stays 0. `mode` and `step` are the caller's.
StepSummary summarize(std::string_view line);

}  // namespace duet::viz
