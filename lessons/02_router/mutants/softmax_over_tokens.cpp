// Misconception: softmax is softmax, whichever dimension it runs over.
// Says: each token's probabilities must add up to 1
#include "moe/router.h"

#include "moe/top_k.h"

namespace duet {

Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  auto logits = at::linear(x, weights.weight, weights.bias);
  if (noise.defined()) logits = logits + noise;
  const auto probs = at::softmax(logits, 0);
  if (weights.top_k > 1 || weights.renormalize) {
    const auto choice = choose_top_k(probs, {.k = weights.top_k,
                                             .renormalize = weights.renormalize,
                                             .constant_gate = weights.constant_gate,
                                             .bias = weights.choice_bias});
    return {logits, probs, choice.expert, choice.gate};
  }
  const auto scores = weights.choice_bias.defined() ? probs + weights.choice_bias : probs;
  const auto expert = at::argmax(scores, 1, /*keepdim=*/true);
  return {logits, probs, expert, probs.gather(1, expert)};
}

}  // namespace duet
