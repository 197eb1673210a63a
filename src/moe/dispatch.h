#pragma once
/// Forward, out: every kept row travels to the rank of its expert.
#include "comm/communicator.h"
#include "core/tensor.h"
#include "moe/plan.h"

namespace duet {

/// Sends each kept pair's token row to its expert's rank.
///
/// @param x [T, D], this rank's tokens
/// @return [plan.received(), D], grouped by local expert; within one, by source rank, then in the source's token order
at::Tensor dispatch(comm::Communicator& group, const Plan& plan, const at::Tensor& x);

}  // namespace duet
