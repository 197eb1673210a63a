// Nothing by hand: choose_top_k knows k = 1 too. The softmax is written out, its largest logit taken away first.
#include "moe/router.h"

#include "moe/top_k.h"

namespace duet {

Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  const auto scores = at::linear(x, weights.weight, weights.bias);
  const auto logits = noise.defined() ? scores.add(noise) : scores;
  const auto [largest, where] = logits.detach().max(1, /*keepdim=*/true);
  const auto powers = (logits - largest).exp();
  const auto probs = powers / powers.sum(1, /*keepdim=*/true);
  const auto choice =
      choose_top_k(probs, {weights.top_k, weights.renormalize, weights.constant_gate, weights.choice_bias});
  return {logits, probs, choice.expert, choice.gate};
}

}  // namespace duet
