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
  const at::TensorList parameters(parameters_), none;
  const auto& c = config_;
  if (c.weight_decay == 0) {
    at::_fused_adam_(parameters, /*grads=*/gradient, /*exp_avgs=*/mean_, /*exp_avg_sqs=*/variance_,
                     /*max_exp_avg_sqs=*/none, /*state_steps=*/steps_, c.lr, c.beta1, c.beta2, /*weight_decay=*/0,
                     c.eps, /*amsgrad=*/false, /*maximize=*/false);
  } else {
    at::_fused_adamw_(parameters, /*grads=*/gradient, /*exp_avgs=*/mean_, /*exp_avg_sqs=*/variance_,
                      /*max_exp_avg_sqs=*/none, /*state_steps=*/steps_, c.lr, c.beta1, c.beta2, c.weight_decay, c.eps,
                      /*amsgrad=*/false, /*maximize=*/false);
  }
}

std::int64_t Adam::state_bytes() const { return static_cast<std::int64_t>(mean_.nbytes() + variance_.nbytes()); }

}  // namespace duet
