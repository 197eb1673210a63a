#pragma once
/// Rows change ranks, one pair of ranks after the other (lesson 05).
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::comm {

/// Sends the first send_rows[0] rows to rank 0, the next send_rows[1] to rank 1, and so on; `received` takes
/// receive_rows[0] rows from rank 0, then those from rank 1, and so on. Own rows are copied; a pair without rows sends
/// no message.
///
/// @param rows     [sum of send_rows, D], contiguous
/// @param received [sum of receive_rows, D], contiguous, overwritten
void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received);

}  // namespace duet::comm
