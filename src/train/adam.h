#pragma once
/// Adam (Kingma and Ba), by LibTorch's fused kernel on one flat tensor; equal to torch::optim::Adam, and with weight
/// decay to torch::optim::AdamW (Loshchilov and Hutter: the decay goes to the weights, not into the gradient).
#include "core/tensor.h"
#include "train/config.h"

namespace duet {

class Adam {
 public:
  /// @param parameters one flat tensor; updated in place
  Adam(at::Tensor parameters, const OptimizerConfig& config);

  /// One step from the gradient, which has the parameters' shape.
  void step(const at::Tensor& gradient);

  /// The learning rate of the steps to come.
  void set_rate(double lr) { config_.lr = lr; }

  /// What a checkpoint keeps: the running means, and the number of steps. Views; writing to them sets the state.
  const at::Tensor& mean() const { return mean_; }
  const at::Tensor& variance() const { return variance_; }
  const at::Tensor& steps() const { return steps_; }

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
