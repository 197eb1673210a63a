#pragma once
/// The communicator's operations on tensors. Rows are the first dimension.
///
/// All take contiguous tensors of uint8, int64, float32 or float64, and throw InputError for others. A tensor in memory
/// that the transport does not read goes through a copy in memory that it does (comm/staging.h). Gradients are not
/// tracked. Which algorithm runs is the communicator's to say (comm/algorithms.h).
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::comm {

/// Sends `send_rows[r]` rows to rank r, in order, and returns the rows that came, sources in order.
/// @return [sum of receive_rows, ...]
at::Tensor all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                      std::span<const std::int64_t> receive_rows);

/// The same into `out`, which is overwritten and may not share memory with `rows`.
void all_to_all_into(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                     std::span<const std::int64_t> receive_rows, const at::Tensor& out);

/// Replaces `values` by its sum over ranks; the same bits on every rank.
void all_reduce(Communicator& comm, const at::Tensor& values);

/// Every rank's rows, ranks in order; the same number on each. @return [size() * n, ...]
at::Tensor all_gather(Communicator& comm, const at::Tensor& rows);

/// Sums over ranks and keeps the rows of this rank: part rank() of size() equal ones. @return [n / size(), ...]
/// @throws InputError if size() does not divide n
at::Tensor reduce_scatter(Communicator& comm, const at::Tensor& rows);

/// Overwrites `values` with rank `root`'s.
void broadcast(Communicator& comm, const at::Tensor& values, int root);

}  // namespace duet::comm
