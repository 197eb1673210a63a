// Misconception: two linear layers are more than one.
// Says: The ReLU is missing
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  const auto hidden = at::linear(rows, weights.w1, weights.b1);
  return at::linear(hidden, weights.w2, weights.b2);
}

}  // namespace duet
