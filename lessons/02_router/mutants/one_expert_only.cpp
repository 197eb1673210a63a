// Misconception: top-k is always 1.
// Says: One expert a token, but top_k asks for more
#include "moe/router.h"

#include "moe/top_k.h"

namespace duet {

Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  auto logits = at::linear(x, weights.weight, weights.bias);
  if (noise.defined()) logits = logits + noise;
  const auto probs = at::softmax(logits, 1);
  const auto scores = weights.choice_bias.defined() ? probs + weights.choice_bias : probs;
  const auto expert = at::argmax(scores, 1, /*keepdim=*/true);
  return {logits, probs, expert, probs.gather(1, expert)};
}

}  // namespace duet
