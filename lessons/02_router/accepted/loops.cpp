// The choice in plain loops; the gate by a one-hot mask, so that autograd follows it.
#include "moe/router.h"

#include "moe/top_k.h"

namespace duet {

namespace {

at::Tensor first_maximum(const at::Tensor& scores) {
  const auto values = scores.detach().to(at::kDouble).contiguous();
  const auto expert = at::empty({scores.size(0), 1}, at::kLong);
  const auto score = values.accessor<double, 2>();
  auto chosen = expert.accessor<std::int64_t, 2>();
  for (std::int64_t t = 0; t < scores.size(0); ++t) {
    chosen[t][0] = 0;
    for (std::int64_t e = 1; e < scores.size(1); ++e) {
      if (score[t][e] > score[t][chosen[t][0]]) chosen[t][0] = e;
    }
  }
  return expert;
}

}  // namespace

Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  auto logits = x.mm(weights.weight.t());
  if (weights.bias.defined()) logits = logits + weights.bias;
  if (noise.defined()) logits = logits + noise;
  const auto probs = at::log_softmax(logits, 1).exp();
  if (weights.top_k == 1 && !weights.renormalize) {
    const auto expert = first_maximum(weights.choice_bias.defined() ? probs + weights.choice_bias : probs);
    const auto mask = at::one_hot(expert.squeeze(1), probs.size(1));
    return {logits, probs, expert, (probs * mask).sum(1, /*keepdim=*/true)};
  }
  const auto choice =
      choose_top_k(probs, {weights.top_k, weights.renormalize, weights.constant_gate, weights.choice_bias});
  return {logits, probs, choice.expert, choice.gate};
}

}  // namespace duet
