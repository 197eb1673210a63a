#pragma once
/// Which experts a token goes to: the k with the highest probability.
#include "core/tensor.h"

namespace duet {

/// The chosen experts of every token.
struct Choice {
  at::Tensor expert;  ///< [T, k] int64, best first
  at::Tensor gate;    ///< [T, k], the weight of each chosen expert's output
};

struct TopKRule {
  std::int64_t k = 1;
  bool renormalize = false;    ///< divide the gates by their sum over the k (Mixtral); off: the probabilities (Switch)
  bool constant_gate = false;  ///< allows renormalize at k = 1
  at::Tensor bias = {};        ///< [E], added to the probabilities to choose, not to weigh; undefined: none
};

/// Chooses the k most probable experts; a tie goes to the lowest index (torch's own topk breaks ties otherwise).
///
/// @param probs [T, E]
/// @throws InputError unless 1 <= k <= E, or when k = 1 is renormalised and `constant_gate` does not allow it: the gate
///         is then 1 for every token, and the router never learns (Megatron-LM issue #894)
Choice choose_top_k(const at::Tensor& probs, const TopKRule& rule);

}  // namespace duet
