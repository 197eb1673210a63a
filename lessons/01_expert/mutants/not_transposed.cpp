// Misconception: a weight is stored as [in, out].
// Says: torch stores a weight as [out, in]
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  const auto hidden = at::relu(rows.mm(weights.w1) + weights.b1);
  return hidden.mm(weights.w2) + weights.b2;
}

}  // namespace duet
