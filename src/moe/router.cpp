#include "moe/router.h"

#include "moe/top_k.h"

namespace duet {

Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  auto logits = at::linear(x, weights.weight, weights.bias);
  if (noise.defined()) logits = logits + noise;
  const auto probs = at::softmax(logits, /*dim=*/1);
  const auto choice = choose_top_k(probs, {.k = weights.top_k,
                                           .renormalize = weights.renormalize,
                                           .constant_gate = weights.constant_gate,
                                           .bias = weights.choice_bias});
  return {logits, probs, choice.expert, choice.gate};
}

}  // namespace duet
