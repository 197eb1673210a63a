// The same with matrix products, and the ReLU as a clamp.
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  auto hidden = rows.mm(weights.w1.t());
  hidden = (hidden + weights.b1).clamp_min(0);
  return at::addmm(weights.b2, hidden, weights.w2.t());
}

}  // namespace duet
