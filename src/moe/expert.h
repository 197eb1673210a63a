#pragma once
/// One expert: a small feed-forward network, linear - ReLU - linear.
#include "core/tensor.h"

namespace duet {

/// The parameters of one expert, as torch stores them ([out, in]).
struct ExpertWeights {
  at::Tensor w1;  ///< [hidden, dim]
  at::Tensor b1;  ///< [hidden]
  at::Tensor w2;  ///< [dim, hidden]
  at::Tensor b2;  ///< [dim]
};

/// Runs the rows that an expert received through it.
///
/// @param rows [N, dim]; N may be 0, and the gradients are then zeros, not absent
/// @return [N, dim]
at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights);

}  // namespace duet
