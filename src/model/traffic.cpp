#include "model/traffic.h"

#include <limits>

namespace duet {

double all_reduce_bytes(int ranks, std::int64_t values, std::int64_t value_bytes) {
  return 2.0 * (ranks - 1) / ranks * static_cast<double>(values * value_bytes);
}

double step_bytes(const TrafficShape& shape, const RowsMoved& rows) {
  const auto row_bytes = static_cast<double>(shape.dim * shape.value_bytes);
  const auto exchanged = 2 * rows.out + rows.in + (shape.input_grad ? rows.in : 0);
  const double counts = 8.0 * static_cast<double>(shape.experts) * (shape.ep - 1) / shape.ep;
  const int world = shape.dp * shape.ep;
  return static_cast<double>(exchanged) * row_bytes + counts +
         all_reduce_bytes(world, shape.router_parameters, shape.value_bytes) +
         all_reduce_bytes(shape.dp, shape.expert_parameters, shape.value_bytes);
}

double byte_equal_tokens(const TrafficShape& expert_parallel, std::int64_t top_k, std::int64_t all_expert_parameters) {
  const auto& ep = expert_parallel;
  const int world = ep.dp * ep.ep;
  if (ep.ep < 2) return std::numeric_limits<double>::infinity();
  const double data_parallel = all_reduce_bytes(world, ep.router_parameters + all_expert_parameters, ep.value_bytes);
  const double fixed = step_bytes(ep, {.out = 0, .in = 0});
  const double travelling = static_cast<double>(top_k) * (ep.ep - 1) / ep.ep;  // rows out, and in, a token
  const double exchanges = ep.input_grad ? 4 : 3;
  return (data_parallel - fixed) / (exchanges * travelling * static_cast<double>(ep.dim * ep.value_bytes));
}

}  // namespace duet
