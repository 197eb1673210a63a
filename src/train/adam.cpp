#include "train/adam.h"

namespace duet {

Adam::Adam(at::Tensor parameters, const OptimizerConfig& config)
    : config_(config),
      parameters_(std::move(parameters)),
      mean_(at::zeros_like(parameters_)),
      variance_(at::zeros_like(parameters_)),
      steps_(at::zeros({}, parameters_.options().dtype(at::kFloat))) {}

void Adam::step(const at::Tensor& gradient) {
  const at::NoGradGuard no_grad;
  steps_.add_(1);
  at::_fused_adam_(/*self=*/parameters_, /*grads=*/gradient, /*exp_avgs=*/mean_, /*exp_avg_sqs=*/variance_,
                   /*max_exp_avg_sqs=*/at::TensorList(), /*state_steps=*/steps_, config_.lr, config_.beta1,
                   config_.beta2, /*weight_decay=*/0, config_.eps, /*amsgrad=*/false, /*maximize=*/false);
}

std::int64_t Adam::state_bytes() const { return static_cast<std::int64_t>(mean_.nbytes() + variance_.nbytes()); }

}  // namespace duet
