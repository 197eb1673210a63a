#include "comm/staging.h"

namespace duet::comm {

namespace {

// To the calling thread's own GPU (gpu::use) where the transport reads only such memory, to the CPU otherwise.
at::Device other_side(const Communicator& comm, const at::Tensor& tensor) {
  return tensor.is_cpu() && comm.reads_device_memory() ? at::kCUDA : at::kCPU;
}

}  // namespace

bool needs_staging(const Communicator& comm, const at::Tensor& tensor) {
  return tensor.is_cpu() ? !comm.reads_host_memory() : !comm.reads_device_memory();
}

at::Tensor staged(const Communicator& comm, const at::Tensor& tensor) {
  if (!needs_staging(comm, tensor)) return tensor;
  const at::NoGradGuard no_grad;
  return tensor.detach().to(other_side(comm, tensor), tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
}

at::Tensor staging_like(const Communicator& comm, const at::Tensor& tensor) {
  if (!needs_staging(comm, tensor)) return tensor;
  return at::empty(tensor.sizes(), tensor.options().device(other_side(comm, tensor)).requires_grad(false));
}

void copy_back(const at::Tensor& copy, const at::Tensor& tensor) {
  if (copy.is_same(tensor)) return;
  const at::NoGradGuard no_grad;
  tensor.copy_(copy);
}

}  // namespace duet::comm
