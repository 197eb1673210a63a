#pragma once
/// How the router learns: the gate's gradient, and from there to the logits. No communication: the rows are at home.
#include "core/tensor.h"
#include "moe/plan.h"

namespace duet {

/// Gradient of the gate: for each pair, the dot product of its token's gradient and its expert's output row. Zero for
/// a dropped pair.
///
/// @param grad_out [T, D], gradient of combine's output
/// @param rows [N + 1, D], as combine returned them
/// @return [T, k]
at::Tensor gate_backward(const Plan& plan, const at::Tensor& grad_out, const at::Tensor& rows);

/// Gradient of the logits when gate[t, j] is the softmax probability of the chosen expert. The choice itself has no
/// gradient, but every logit of the token moves every probability (the softmax Jacobian):
/// d logits[t, e] = probs[t, e] * (g[t, e] - sum_f g[t, f] * probs[t, f]), with g the gate's gradient at the chosen
/// experts and 0 elsewhere.
///
/// @param grad_gate [T, k]
/// @param probs [T, E]
/// @param expert [T, k] int64
/// @return [T, E]
at::Tensor logits_backward(const at::Tensor& grad_gate, const at::Tensor& probs, const at::Tensor& expert);

}  // namespace duet
