#pragma once
/// Which experts a token goes to: the k with the highest probability.
#include "core/tensor.h"

namespace duet {

/// The chosen experts of every token.
struct Choice {
  at::Tensor expert;  ///< [T, k] int64, best first
  at::Tensor gate;    ///< [T, k], the weight of each chosen expert's output
};

/// Chooses the k most probable experts; a tie goes to the lowest index (torch's own topk breaks ties otherwise).
///
/// @param probs [T, E]
/// @param renormalize divide the gates by their sum over the k (Mixtral); off: the probabilities themselves (Switch)
/// @throws InputError unless 1 <= k <= E, or when k = 1 is renormalised: the gate would be 1 for every token and the
///         router would never learn
Choice choose_top_k(const at::Tensor& probs, std::int64_t k, bool renormalize);

}  // namespace duet
