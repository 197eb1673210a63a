#pragma once
/// A tensor seen as rows of bytes: what stands between tensors and the communication core.
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::comm {

/// The rows of `tensor` (its first dimension; a scalar is one row). The memory stays the tensor's, on the CPU or a GPU:
/// whether a transport reads it is comm/staging.h's to ask.
/// @throws InputError naming `operation` unless it is a contiguous tensor of uint8, int64, float32 or float64
ConstRows rows_of(const at::Tensor& tensor, std::string_view operation);
Rows writable_rows_of(const at::Tensor& tensor, std::string_view operation);

}  // namespace duet::comm
