#pragma once
/// Dispatch, combine and the gate under autograd. The one place where our backward units meet torch's graph.
#include <memory>

#include "comm/communicator.h"
#include "core/tensor.h"
#include "moe/plan.h"
#include "moe/router.h"

namespace duet {

/// `dispatch` with `dispatch_backward` as its gradient. `group` must outlive the backward pass.
at::Tensor dispatch_rows(comm::Communicator& group, const std::shared_ptr<const Plan>& plan, const at::Tensor& x);

/// `combine` with `combine_backward` and `gate_backward` as its gradients.
at::Tensor combine_rows(comm::Communicator& group, const std::shared_ptr<const Plan>& plan, const at::Tensor& y,
                        const at::Tensor& gate);

/// [T, E], `probs` as the softmax of `logits` that they are, with softmax's gradient: for who made them by a kernel.
at::Tensor as_softmax(const at::Tensor& logits, const at::Tensor& probs);

/// [T, k], the probability of each chosen expert, with `logits_backward` as its gradient.
at::Tensor chosen_probability(const Routing& routing);

}  // namespace duet
