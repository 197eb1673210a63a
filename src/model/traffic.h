#pragma once
/// Bytes that ranks send in a step, by formula: what the measured ones are held against.
#include <cstdint>
#include <span>

namespace duet {

/// Rows that leave and enter a rank in one forward dispatch; own rows are not counted.
struct RowsMoved {
  std::int64_t out = 0;
  std::int64_t in = 0;
};

struct TrafficShape {
  std::int64_t dim = 32;
  std::int64_t experts = 2;
  int ep = 2;  ///< size of the expert-parallel group
  int dp = 1;  ///< ranks that hold the same experts
  std::int64_t value_bytes = 4;
  std::int64_t router_parameters = 0;
  std::int64_t expert_parameters = 0;  ///< of this rank's experts
  bool input_grad = true;
};

/// A ring all-reduce of n values over W ranks: 2 (W - 1) / W * n * size a rank (exact as a mean over ranks).
double all_reduce_bytes(int ranks, std::int64_t values, std::int64_t value_bytes);

/// What one rank sends in a step. Forward dispatch sends `out` rows, combine `in`, backward of combine `out`, backward
/// of dispatch `in` (only when the input needs a gradient); the counts are 8 * E * (ep - 1) / ep; then the gradients:
/// what all ranks hold is reduced over dp * ep ranks, experts over dp.
double step_bytes(const TrafficShape& shape, const RowsMoved& rows);

/// Tokens a rank at which expert parallelism sends as many bytes as data parallelism, for even routing, k choices and
/// no drops. Infinite for a single rank.
double byte_equal_tokens(const TrafficShape& expert_parallel, std::int64_t top_k, std::int64_t all_expert_parameters);

}  // namespace duet
