#include "moe/gate_backward.h"

namespace duet {

at::Tensor gate_backward(const Plan& plan, const at::Tensor& grad_out, const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> grads;
  for (std::int64_t choice = 0; choice < plan.top_k(); ++choice) {
    const auto row = rows.index_select(0, plan.position.select(1, choice));  // [T, D]
    grads.push_back((row * grad_out).sum(1));
  }
  return at::stack(grads, 1);
}

at::Tensor logits_backward(const at::Tensor& grad_gate, const at::Tensor& probs, const at::Tensor& expert) {
  const at::NoGradGuard no_grad;
  const auto grad_probs = at::zeros_like(probs).scatter_(1, expert, grad_gate);
  const auto mean = (grad_probs * probs).sum(1, /*keepdim=*/true);
  return probs * (grad_probs - mean);
}

}  // namespace duet
