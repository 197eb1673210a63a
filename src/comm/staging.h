#pragma once
/// Copies between memory that tensors lie in and memory that a transport reads: through the host for thread ranks and
/// plain MPI with tensors on a GPU, onto the GPU for NCCL with small tensors of the host.
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::comm {

/// Whether `comm` cannot read the memory of `tensor`.
bool needs_staging(const Communicator& comm, const at::Tensor& tensor);

/// `tensor` itself where `comm` reads it, and a copy of it where not. A copy off a GPU waits for the work before it.
at::Tensor staged(const Communicator& comm, const at::Tensor& tensor);

/// `tensor` itself where `comm` reads it; otherwise memory for as much, with nothing in it yet.
at::Tensor staging_like(const Communicator& comm, const at::Tensor& tensor);

/// What arrived in a copy, into the tensor that it stands for. Nothing where the two are one.
void copy_back(const at::Tensor& copy, const at::Tensor& tensor);

}  // namespace duet::comm
