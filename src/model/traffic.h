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
  std::int64_t router_parameters = 0;  ///< of all layers
  std::int64_t expert_parameters = 0;  ///< of this rank's experts, of all layers
  bool input_grad = true;
  std::int64_t layers = 1;
  std::int64_t micro_batches = 1;
  double rule_bytes = 0;  ///< of global rules, the bias and clipping (rule_bytes below)
};

/// A ring all-reduce of n values over W ranks: 2 (W - 1) / W * n * size a rank (exact as a mean over ranks).
double all_reduce_bytes(int ranks, std::int64_t values, std::int64_t value_bytes);

/// What one layer's exchanges send from one rank. Forward dispatch sends `out` rows, combine `in`, backward of combine
/// `out`, backward of dispatch `in` (only when the layer's input needs a gradient); the counts are
/// 8 * E * (ep - 1) / ep a micro-batch.
double exchange_bytes(const TrafficShape& shape, const RowsMoved& rows, bool input_grad);

/// What gradients send: what all ranks hold is reduced over dp * ep ranks, experts over dp.
double sync_bytes(const TrafficShape& shape);

/// What one rank sends in a step of one layer: its exchanges, the gradients and the rules.
double step_bytes(const TrafficShape& shape, const RowsMoved& rows);

/// The rules that need more than the exchanges.
struct RuleShape {
  int world = 1;
  int ep = 1;
  std::int64_t experts = 2;
  std::int64_t layers = 1;
  std::int64_t micro_batches = 1;
  bool choice_bias = false;              ///< the counts are summed over the world
  bool clip = false;                     ///< one number is summed over the experts' ranks
  bool global_aux = false;               ///< counts, importances and tokens are summed over the world
  std::int64_t gathered_pair_bytes = 0;  ///< of global capacity, for each pair; 0: capacity is local
  std::int64_t gathered_pairs = 0;       ///< of the rank with most tokens, over all micro-batches
};

/// What the rules send from one rank in a step.
double rule_bytes(const RuleShape& shape);

/// Tokens a rank at which expert parallelism sends as many bytes as data parallelism, for even routing, k choices and
/// no drops. Infinite for a single rank.
double byte_equal_tokens(const TrafficShape& expert_parallel, std::int64_t top_k, std::int64_t all_expert_parameters);

}  // namespace duet
