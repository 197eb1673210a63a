// Misconception: the first bias makes no difference before a ReLU.
// Says: The first bias b1 is missing
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  const auto hidden = at::relu(at::linear(rows, weights.w1));
  return at::linear(hidden, weights.w2, weights.b2);
}

}  // namespace duet
