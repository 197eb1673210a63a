// Misconception: an expert is two matrices.
// Says: Both biases are missing
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  const auto hidden = at::relu(rows.mm(weights.w1.t()));
  return hidden.mm(weights.w2.t());
}

}  // namespace duet
