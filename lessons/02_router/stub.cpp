// Lesson 02: the router. Only this file is yours; README.md beside the lesson tells the idea.
#include "moe/router.h"

#include <stdexcept>

#include "moe/top_k.h"

namespace duet {

namespace {

// Given. What the choice goes by: the probabilities, plus the choice bias where a router has one (--bias-rate).
[[maybe_unused]] at::Tensor scores_of(const at::Tensor& probs, const RouterWeights& weights) {
  return weights.choice_bias.defined() ? probs + weights.choice_bias : probs;
}

// Given. Several experts a token, and gates that are divided by their sum.
[[maybe_unused]] Choice choose_by_rule(const at::Tensor& probs, const RouterWeights& weights) {
  return choose_top_k(probs, {.k = weights.top_k,
                              .renormalize = weights.renormalize,
                              .constant_gate = weights.constant_gate,
                              .bias = weights.choice_bias});
}

}  // namespace

// x       [T, dim]   the tokens of this rank; T may be 0
// weights weight [E, dim]   bias [E], or undefined: none
// noise   [T, E], added to the logits, or undefined: none
// returns logits [T, E]   probs [T, E]   expert [T, k] int64   gate [T, k]
Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  // TODO: the logits and the probabilities.
  //   top_k > 1 or renormalize: choose_by_rule has expert and gate.
  //   otherwise: the one expert with the highest score, and its probability. Both [T, 1].
  static_cast<void>(x), static_cast<void>(weights), static_cast<void>(noise);  // take away when you use them
  throw std::runtime_error("not written yet: route");
}

}  // namespace duet
