#pragma once
/// And back: the experts' rows return to their tokens, are weighted by the gate and summed over the choices.
#include "comm/communicator.h"
#include "core/tensor.h"
#include "moe/plan.h"

namespace duet {

/// What combine gives: the layer's output, and the returned rows, which the gate's gradient needs.
struct Combined {
  at::Tensor out;   ///< [T, D]
  at::Tensor rows;  ///< [N + 1, D]: the experts' outputs in the plan's order, and a last row of zeros for dropped pairs
};

/// Brings the experts' outputs home. out[t] = sum over choices j, in order, of gate[t, j] * row of (t, j); a dropped
/// pair adds zero. A gather through `plan.position`, never an index_add: atomics differ from run to run on a GPU.
///
/// @param y [plan.received(), D], the experts' outputs in the order that dispatch gave
/// @param gate [T, k]
Combined combine(comm::Communicator& group, const Plan& plan, const at::Tensor& y, const at::Tensor& gate);

}  // namespace duet
