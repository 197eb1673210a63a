#pragma once
/// Who decides: a linear layer scores the experts for every token, and softmax turns the scores into probabilities.
#include "core/tensor.h"

namespace duet {

/// The router's parameters and its rule.
struct RouterWeights {
  at::Tensor weight;  ///< [E, dim]
  at::Tensor bias;    ///< [E]; undefined: none
  std::int64_t top_k = 1;
  bool renormalize = false;     ///< see choose_top_k
  bool constant_gate = false;   ///< allows renormalize at top_k 1, where every gate is 1 and the router never learns
  at::Tensor choice_bias = {};  ///< [E], state, not learnt: added to choose, not to weigh (moe/choice_bias.h)
};

/// What the router decided for T tokens.
struct Routing {
  at::Tensor logits;     ///< [T, E]
  at::Tensor probs;      ///< [T, E], softmax over the experts
  at::Tensor expert;     ///< [T, k] int64, the chosen experts, best first
  at::Tensor gate;       ///< [T, k], the weight of each chosen expert's output
  at::Tensor draw = {};  ///< [T, k] float64, a number in [0, 1) for every pair; only for DropPolicy::random
};

/// Routes tokens. Differentiable in x and the weights; the choice itself has no gradient, the gate has.
///
/// @param x [T, dim]; T may be 0
/// @param noise [T, E], added to the logits before anything is made of them, so that close experts both get tokens
///        (Shazeer and others 2017, section 2.1, with a fixed spread); undefined: none
/// @throws InputError as choose_top_k does
Routing route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise = {});

}  // namespace duet
