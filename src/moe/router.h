#pragma once
/// Who decides: a linear layer scores the experts for every token, and softmax turns the scores into probabilities.
#include "core/tensor.h"

namespace duet {

/// The router's parameters and its rule.
struct RouterWeights {
  at::Tensor weight;  ///< [E, dim]
  at::Tensor bias;    ///< [E]
  std::int64_t top_k = 1;
  bool renormalize = false;  ///< see choose_top_k
};

/// What the router decided for T tokens.
struct Routing {
  at::Tensor logits;  ///< [T, E]
  at::Tensor probs;   ///< [T, E], softmax over the experts
  at::Tensor expert;  ///< [T, k] int64, the chosen experts, best first
  at::Tensor gate;    ///< [T, k], the weight of each chosen expert's output
};

/// Routes tokens. Differentiable in x and the weights; the choice itself has no gradient, the gate has.
///
/// @param x [T, dim]; T may be 0
/// @throws InputError as choose_top_k does
Routing route(const at::Tensor& x, const RouterWeights& weights);

}  // namespace duet
