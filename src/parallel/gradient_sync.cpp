#include "parallel/gradient_sync.h"

#include <algorithm>
#include <cmath>

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

double gradient_norm(comm::Communicator& ep, const at::Tensor& replicated, const at::Tensor& experts) {
  const at::NoGradGuard no_grad;
  const auto squares = [](const at::Tensor& values) { return values.to(at::kDouble).square().sum().view({1}); };
  auto apart = squares(experts);
  if (ep.size() > 1) comm::all_reduce(ep, apart);
  return std::sqrt((squares(replicated) + apart).item<double>());
}

double clip_gradients(const at::Tensor& gradients, double norm, double limit) {
  const at::NoGradGuard no_grad;
  constexpr double epsilon = 1e-6;  // torch's, against a division by 0
  const double factor = std::min(1.0, limit / (norm + epsilon));
  if (factor < 1) gradients.mul_(factor);
  return factor;
}

}  // namespace duet
