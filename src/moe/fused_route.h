#pragma once
/// Softmax, top-1 choice, counts and positions from one reading of the logits, for a GPU. What moe/router and moe/top_k
/// decide for k = 1, and what moe/plan needs to know of it.
#include "core/tensor.h"
#include "moe/router.h"

namespace duet::fused {

struct Top1 {
  at::Tensor probs;     ///< [T, E], softmax
  at::Tensor expert;    ///< [T, 1] int64; a tie goes to the lowest index
  at::Tensor gate;      ///< [T, 1], the chosen expert's probability
  at::Tensor position;  ///< [T] int64: how many earlier tokens chose the same expert
  at::Tensor summary;   ///< [E + 1] int64: tokens of each expert, then the first token with a logit that is NaN or
                        ///< infinite (T: none), so that one small copy tells the host both
};

/// No gradient is recorded. The same bits whatever order the device works in.
///
/// @param logits [T, E] float32 or float64; T may be 0
/// @param choice_bias [E], added to the probabilities to choose, not to weigh; undefined: none
Top1 route_top1(const at::Tensor& logits, const at::Tensor& choice_bias = {});

/// A routing, and whether its logits are finite.
struct CheckedRouting {
  Routing routing;
  std::int64_t first_bad = 0;  ///< the first token with a logit that is NaN or infinite; T: none
};

/// As duet::route for top_k = 1 without renormalising. Waits for the device once.
CheckedRouting route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise = {});

}  // namespace duet::fused
