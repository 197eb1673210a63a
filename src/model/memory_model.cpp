#include "model/memory_model.h"

namespace duet {

std::int64_t expert_parameters(std::int64_t dim, std::int64_t hidden, bool gated) {
  return gated ? 3 * dim * hidden : 2 * dim * hidden + hidden + dim;
}

std::int64_t router_parameters(std::int64_t dim, std::int64_t experts) { return experts * dim + experts; }

Memory rank_memory(const MemoryShape& shape) {
  const auto local_experts = shape.experts / shape.ep;
  const auto layer = router_parameters(shape.dim, shape.experts) +
                     local_experts * expert_parameters(shape.dim, shape.hidden, shape.gated);
  const auto parameters = shape.layers * layer;
  Memory memory;
  memory.parameters = parameters * shape.value_bytes;
  memory.gradients = memory.parameters;
  memory.optimizer = 2 * memory.parameters;
  // Even routing brings as many rows as leave: tokens * k. Each leaves its input, two hidden rows (before and after
  // ReLU; four when gated) and its output; each token its input, output, logits and probabilities.
  const auto rows = shape.tokens * shape.top_k;
  const auto hidden_rows = shape.gated ? 4 : 2;
  const auto values =
      rows * (2 * shape.dim + hidden_rows * shape.hidden + 1) + shape.tokens * (2 * shape.dim + 2 * shape.experts);
  memory.activations = shape.layers * values * shape.value_bytes;
  return memory;
}

std::int64_t largest_hidden(MemoryShape shape, std::int64_t bytes) {
  shape.hidden = 0;
  const auto fixed = rank_memory(shape).total();
  shape.hidden = 1;
  const auto each = rank_memory(shape).total() - fixed;  // total is linear in the hidden size
  return bytes < fixed + each ? 0 : (bytes - fixed) / each;
}

}  // namespace duet
