// Misconception: the activation comes at the end, as in a classifier.
// Says: The ReLU stands after the second layer
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  const auto hidden = at::linear(rows, weights.w1, weights.b1);
  return at::relu(at::linear(hidden, weights.w2, weights.b2));
}

}  // namespace duet
