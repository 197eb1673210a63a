#pragma once
/// Mixtral's kind of expert: a gated unit without biases (Shazeer 2020, "GLU variants improve transformer").
#include "core/tensor.h"

namespace duet {

/// The parameters, with the names of Mixtral's published weights.
struct SwigluWeights {
  at::Tensor w1;  ///< [hidden, dim], goes through silu and gates
  at::Tensor w3;  ///< [hidden, dim], is gated
  at::Tensor w2;  ///< [dim, hidden]
};

/// w2 (silu(w1 x) * w3 x) for every row.
///
/// @param rows [N, dim]; N may be 0, and the gradients are then zeros, not absent
/// @return [N, dim]
at::Tensor swiglu_forward(const at::Tensor& rows, const SwigluWeights& weights);

}  // namespace duet
