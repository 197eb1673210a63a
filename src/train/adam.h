#pragma once
/// Adam (Kingma and Ba), by LibTorch's fused kernel on one flat tensor; equal to torch::optim::Adam.
#include "core/tensor.h"
#include "train/config.h"

namespace duet {

class Adam {
 public:
  /// @param parameters one flat tensor; updated in place
  Adam(at::Tensor parameters, const OptimizerConfig& config);

  /// One step from the gradient, which has the parameters' shape.
  void step(const at::Tensor& gradient);

  /// Bytes of state: the two moments.
  std::int64_t state_bytes() const;

 private:
  OptimizerConfig config_;
  at::Tensor parameters_;
  at::Tensor mean_;      ///< running mean of gradients
  at::Tensor variance_;  ///< running mean of squared gradients
  at::Tensor steps_;     ///< a float32 scalar, as the kernel wants it
};

}  // namespace duet
