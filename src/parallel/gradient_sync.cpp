#include "parallel/gradient_sync.h"

#include "comm/tensors.h"

namespace duet {

void sync_gradients(comm::Communicator& world, comm::Communicator& dp, const at::Tensor& replicated,
                    const at::Tensor& experts) {
  const at::NoGradGuard no_grad;
  if (replicated.numel() > 0) {
    comm::all_reduce(world, replicated);
    replicated.div_(world.size());
  }
  if (experts.numel() > 0) {
    comm::all_reduce(dp, experts);
    experts.div_(world.size());
  }
}

}  // namespace duet
