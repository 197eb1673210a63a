#pragma once
/// What a rank must hold: parameters, gradients, optimizer state and the activations that backward needs.
#include <cstdint>

namespace duet {

struct MemoryShape {
  std::int64_t dim = 32;
  std::int64_t hidden = 64;
  std::int64_t experts = 2;
  std::int64_t top_k = 1;
  int ep = 2;                ///< ranks that share the experts; 1 for data parallelism
  std::int64_t tokens = 64;  ///< of one rank
  std::int64_t value_bytes = 4;
  std::int64_t layers = 1;
  bool gated = false;  ///< SwiGLU experts
};

/// Bytes on one rank.
struct Memory {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;    ///< Adam's two moments
  std::int64_t activations = 0;  ///< for even routing: input rows, hidden rows, output rows, logits, gate
  std::int64_t total() const { return parameters + gradients + optimizer + activations; }
};

/// Parameters of one expert: two matrices and their biases, or the three of a gated one without.
std::int64_t expert_parameters(std::int64_t dim, std::int64_t hidden, bool gated = false);

/// Parameters of the router.
std::int64_t router_parameters(std::int64_t dim, std::int64_t experts);

Memory rank_memory(const MemoryShape& shape);

/// The largest hidden size whose rank_memory fits into `bytes`; 0 if none does.
std::int64_t largest_hidden(MemoryShape shape, std::int64_t bytes);

}  // namespace duet
