// A wrong expert: the biases are forgotten.
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  const auto hidden = at::relu(at::linear(rows, weights.w1));
  return at::linear(hidden, weights.w2);
}

}  // namespace duet
