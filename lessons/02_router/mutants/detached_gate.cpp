// Misconception: a number is a number, however it was copied.
// Says: the router never learns
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
  const auto expert = at::argmax(scores, 1, /*keepdim=*/true);
  auto gate = at::empty({x.size(0), 1}, probs.options());
  for (std::int64_t t = 0; t < x.size(0); ++t) gate[t][0] = probs[t][expert[t].item<std::int64_t>()].item<double>();
  return {logits, probs, expert, gate};
}

}  // namespace duet
