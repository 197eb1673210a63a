#pragma once
/// The exchange's units once more, for a GPU: each gather, with its gates and sums, is one kernel instead of several.
/// They give what moe/dispatch, moe/combine, moe/rows_backward and moe/gate_backward give, which stay the ones to read.
#include "moe/combine.h"
#include "moe/plan.h"

namespace duet::fused {

/// As duet::dispatch.
at::Tensor dispatch(comm::Communicator& group, const Plan& plan, const at::Tensor& x);
/// As duet::combine.
Combined combine(comm::Communicator& group, const Plan& plan, const at::Tensor& y, const at::Tensor& gate);
/// As duet::dispatch_backward.
at::Tensor dispatch_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_rows);
/// As duet::combine_backward.
at::Tensor combine_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_out,
                            const at::Tensor& gate);
/// As duet::gate_backward.
at::Tensor gate_backward(const Plan& plan, const at::Tensor& grad_out, const at::Tensor& rows);

}  // namespace duet::fused
