#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/reference_moe/layer_state.h"

namespace duet::reference {

void clip(Parameters& gradients, double limit) {
  double squares = 0;
  for (const auto& [name, values] : gradients) {
    for (const double value : values) squares += value * value;
  }
  const double factor = limit / (std::sqrt(squares) + 1e-6);
  if (factor >= 1) return;
  for (auto& [name, values] : gradients) {
    for (double& value : values) value *= factor;
  }
}

void move_choice_biases(Parameters& parameters, const Result& result, double rate) {
  for (std::size_t l = 0; l < result.layers.size(); ++l) {
    const auto& counts = result.layers[l].counts;
    auto& bias = parameters.at("layer." + std::to_string(l) + ".router.choice_bias");
    const auto all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    for (std::size_t e = 0; e < counts.size(); ++e) {
      const auto load = counts[e] * std::ssize(counts);  // E times it, against E times the mean
      bias[e] += load < all ? rate : load > all ? -rate : 0;
    }
  }
}

void Adam::step(Parameters& parameters, const Parameters& gradients) {
  constexpr double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  ++steps_;
  const double correction1 = 1 - std::pow(beta1, static_cast<double>(steps_));
  const double correction2 = 1 - std::pow(beta2, static_cast<double>(steps_));
  for (const auto& [name, gradient] : gradients) {
    auto& values = parameters.at(name);
    auto& mean = mean_[name];
    auto& variance = variance_[name];
    mean.resize(values.size());
    variance.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      mean[i] = beta1 * mean[i] + (1 - beta1) * gradient[i];
      variance[i] = beta2 * variance[i] + (1 - beta2) * gradient[i] * gradient[i];
      values[i] -= learning_rate_ * weight_decay_ * values[i];
      values[i] -= learning_rate_ / correction1 * mean[i] / (std::sqrt(variance[i] / correction2) + eps);
    }
  }
}

}  // namespace duet::reference
