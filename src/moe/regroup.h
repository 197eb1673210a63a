#pragma once
/// Rows arrive grouped by source rank; an expert wants its own together. No communication.
#include "core/tensor.h"
#include "moe/plan.h"

namespace duet {

/// From [source][local expert] order to [local expert][source] order; within a block, order is kept.
/// @param rows [plan.received(), D]
at::Tensor group_by_expert(const Plan& plan, const at::Tensor& rows);

/// The way back: from [local expert][source] to [source][local expert] order.
at::Tensor group_by_source(const Plan& plan, const at::Tensor& rows);

}  // namespace duet
