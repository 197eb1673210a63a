// Misconception: the gate is the number by which the choice was made.
// Says: The choice bias has got into the gate
#include "moe/router.h"

#include "moe/top_k.h"

namespace duet {

Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  auto logits = at::linear(x, weights.weight, weights.bias);
  if (noise.defined()) logits = logits + noise;
  const auto probs = at::softmax(logits, 1);
  if (weights.top_k > 1 || weights.renormalize) {
    const auto choice = choose_top_k(probs, {.k = weights.top_k,
                                             .renormalize = weights.renormalize,
                                             .constant_gate = weights.constant_gate,
                                             .bias = weights.choice_bias});
    return {logits, probs, choice.expert, choice.gate};
  }
  const auto scores = weights.choice_bias.defined() ? probs + weights.choice_bias : probs;
  const auto [score, expert] = scores.max(1, /*keepdim=*/true);
  return {logits, probs, expert, score};
}

}  // namespace duet
