#include "model/traffic.h"

#include <limits>

namespace duet {

double all_reduce_bytes(int ranks, std::int64_t values, std::int64_t value_bytes) {
  return 2.0 * (ranks - 1) / ranks * static_cast<double>(values * value_bytes);
}

double exchange_bytes(const TrafficShape& shape, const RowsMoved& rows, bool input_grad) {
  const auto row_bytes = static_cast<double>(shape.dim * shape.value_bytes);
  const auto exchanged = 2 * rows.out + rows.in + (input_grad ? rows.in : 0);
  const double counts = 8.0 * static_cast<double>(shape.experts) * (shape.ep - 1) / shape.ep;
  return static_cast<double>(exchanged) * row_bytes + static_cast<double>(shape.micro_batches) * counts;
}

double sync_bytes(const TrafficShape& shape) {
  return all_reduce_bytes(shape.dp * shape.ep, shape.router_parameters, shape.value_bytes) +
         all_reduce_bytes(shape.dp, shape.expert_parameters, shape.value_bytes);
}

double step_bytes(const TrafficShape& shape, const RowsMoved& rows) {
  return exchange_bytes(shape, rows, shape.input_grad) + sync_bytes(shape) + shape.rule_bytes;
}

double rule_bytes(const RuleShape& shape) {
  constexpr std::int64_t wide = 8;  // int64 and float64
  double bytes = 0;
  if (shape.choice_bias) bytes += all_reduce_bytes(shape.world, shape.layers * shape.experts, wide);
  if (shape.clip) bytes += all_reduce_bytes(shape.ep, 1, wide);
  const auto passes = static_cast<double>(shape.layers * shape.micro_batches);
  if (shape.global_aux) bytes += passes * all_reduce_bytes(shape.world, 2 * shape.experts + 1, wide);
  const auto gathered = shape.layers * shape.gathered_pairs * shape.gathered_pair_bytes;
  return bytes + static_cast<double>((shape.world - 1) * gathered);
}

double byte_equal_tokens(const TrafficShape& expert_parallel, std::int64_t top_k, std::int64_t all_expert_parameters) {
  const auto& ep = expert_parallel;
  const int world = ep.dp * ep.ep;
  if (ep.ep < 2) return std::numeric_limits<double>::infinity();
  const auto layers = static_cast<double>(ep.layers);
  const double data_parallel = all_reduce_bytes(world, ep.router_parameters + all_expert_parameters, ep.value_bytes);
  const double fixed = layers * exchange_bytes(ep, {.out = 0, .in = 0}, true) + sync_bytes(ep);
  const double travelling = static_cast<double>(top_k) * (ep.ep - 1) / ep.ep;  // rows out, and in, a token
  const double exchanges = 4 * layers - (ep.input_grad ? 0 : 1);
  return (data_parallel - fixed) / (exchanges * travelling * static_cast<double>(ep.dim * ep.value_bytes));
}

}  // namespace duet
