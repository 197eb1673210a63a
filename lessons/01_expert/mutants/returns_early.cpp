// Misconception: an expert without rows has nothing to do.
// Says: An expert that nobody chose still has gradients
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  if (rows.size(0) == 0) return rows;
  const auto hidden = at::relu(at::linear(rows, weights.w1, weights.b1));
  return at::linear(hidden, weights.w2, weights.b2);
}

}  // namespace duet
