#include "moe/router.h"

#include "moe/top_k.h"

namespace duet {

Routing route(const at::Tensor& x, const RouterWeights& weights) {
  const auto logits = at::linear(x, weights.weight, weights.bias);
  const auto probs = at::softmax(logits, /*dim=*/1);
  const auto choice = choose_top_k(probs, weights.top_k, weights.renormalize);
  return {logits, probs, choice.expert, choice.gate};
}

}  // namespace duet
