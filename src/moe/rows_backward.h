#pragma once
/// The gradient of an exchange is the exchange in the other direction.
#include "comm/communicator.h"
#include "core/tensor.h"
#include "moe/plan.h"

namespace duet {

/// Backward of dispatch: the rows' gradients travel home and are summed over a token's choices, in order. A dropped
/// pair adds nothing.
///
/// @param grad_rows [plan.received(), D], in the order that dispatch gave
/// @return [T, D]
at::Tensor dispatch_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_rows);

/// Backward of combine for the experts' outputs: each token's gradient, times the pair's gate, travels to the expert.
///
/// @param grad_out [T, D]
/// @param gate [T, k]
/// @return [plan.received(), D], in the order that dispatch gave
at::Tensor combine_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_out,
                            const at::Tensor& gate);

}  // namespace duet
