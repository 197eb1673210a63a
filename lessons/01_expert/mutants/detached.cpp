// Misconception: gradients are not this function's business.
// Says: autograd lost track
#include "moe/expert.h"

namespace duet {

at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  const auto hidden = at::relu(at::linear(rows.detach(), weights.w1.detach(), weights.b1.detach()));
  return at::linear(hidden, weights.w2.detach(), weights.b2.detach());
}

}  // namespace duet
