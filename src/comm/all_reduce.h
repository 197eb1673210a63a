#pragma once
/// The plainest all-reduce (lesson 00): every rank sends to every other and adds what comes.
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::comm {

/// Replaces `values` on every rank by the sum over ranks, added in rank order.
///
/// W (W - 1) messages of the whole tensor. Pairs meet in the same order on all ranks, and the lower rank of a pair
/// sends first, because a send waits for its receive.
///
/// @param values contiguous, the same shape and dtype on every rank
void all_reduce_naive(Communicator& comm, const at::Tensor& values);

}  // namespace duet::comm
