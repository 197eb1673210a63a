#include "moe/swiglu.h"

namespace duet {

at::Tensor swiglu_forward(const at::Tensor& rows, const SwigluWeights& weights) {
  const auto gate = at::silu(at::linear(rows, weights.w1));
  return at::linear(gate * at::linear(rows, weights.w3), weights.w2);
}

}  // namespace duet
