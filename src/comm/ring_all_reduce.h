#pragma once
/// The all-reduce that sends least (lesson 14): chunks travel round a ring of ranks.
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::comm {

/// Replaces `values` on every rank by the sum over ranks; the same bits everywhere.
///
/// Values are cut into W chunks, the first ones one longer where W does not divide N. In W - 1 steps each chunk travels
/// once round and grows by what each rank has (reduce-scatter: rank r ends with the sum of chunk r + 1); in W - 1 more
/// the sums travel round (all-gather). Each rank sends about 2 (W - 1) / W of the tensor, whatever W is (Patarasuk and
/// Yuan, 2009).
///
/// @param values contiguous, the same shape and dtype on every rank
void ring_all_reduce(Communicator& comm, const at::Tensor& values);

}  // namespace duet::comm
