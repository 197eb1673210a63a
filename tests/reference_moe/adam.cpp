#include <cmath>

#include "tests/reference_moe/reference_moe.h"

namespace duet::reference {

void Adam::step(Parameters& parameters, const Parameters& gradients) {
  constexpr double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  ++steps_;
  const double correction1 = 1 - std::pow(beta1, static_cast<double>(steps_));
  const double correction2 = 1 - std::pow(beta2, static_cast<double>(steps_));
  for (auto& [name, values] : parameters) {
    const auto& gradient = gradients.at(name);
    auto& mean = mean_[name];
    auto& variance = variance_[name];
    mean.resize(values.size());
    variance.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      mean[i] = beta1 * mean[i] + (1 - beta1) * gradient[i];
      variance[i] = beta2 * variance[i] + (1 - beta2) * gradient[i] * gradient[i];
      values[i] -= learning_rate_ / correction1 * mean[i] / (std::sqrt(variance[i] / correction2) + eps);
    }
  }
}

}  // namespace duet::reference
