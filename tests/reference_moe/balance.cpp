#include <algorithm>
#include <cmath>

#include "tests/reference_moe/layer_state.h"

namespace duet::reference {

namespace {

/// A loss of a group of tokens: its value, and its slope for every probability of an expert.
struct Loss {
  double value = 0;
  Values slope;  ///< [E]
};

std::vector<std::int64_t> counts_of(const LayerState& layer, const Tokens& group) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(layer.rules.experts));
  const auto k = layer.rules.top_k;
  for (const auto t : group) {
    for (std::int64_t j = 0; j < k; ++j) ++at(counts, at(layer.chosen.expert, t * k + j));
  }
  return counts;
}

Values importance_of(const LayerState& layer, const Tokens& group) {
  auto importance = zeros(layer.rules.experts);
  for (const auto t : group) {
    for (std::int64_t e = 0; e < layer.rules.experts; ++e)
      at(importance, e) += at(layer.probs, t * layer.rules.experts + e);
  }
  return importance;
}

// std, or with `relative` cv. By straight-through a probability stands for its part of a count.
Loss deviation(const LayerState& layer, const Tokens& group, bool relative) {
  const auto experts = static_cast<double>(layer.rules.experts);
  Loss loss{.value = 0, .slope = zeros(layer.rules.experts)};
  if (layer.rules.experts == 1 || group.empty()) return loss;
  const auto counts = counts_of(layer, group);
  const double degrees = layer.rules.population ? experts : experts - 1;
  const double mean = static_cast<double>(group.size()) * static_cast<double>(layer.rules.top_k) / experts;
  double squares = 0;
  for (const auto n : counts) squares += std::pow(static_cast<double>(n) - mean, 2);
  const double std = std::sqrt(squares / degrees);
  const double scale = relative ? mean : 1;
  loss.value = std / scale;
  for (std::int64_t e = 0; e < layer.rules.experts && std > 0; ++e)
    at(loss.slope, e) = (static_cast<double>(at(counts, e)) - mean) / (degrees * std) / scale;
  return loss;
}

// variance / mean^2 of I_e = sum_t p[t, e]; the mean's own derivative is 1 / E.
Loss squared_variation(const LayerState& layer, const Tokens& group) {
  const auto experts = static_cast<double>(layer.rules.experts);
  Loss loss{.value = 0, .slope = zeros(layer.rules.experts)};
  if (group.empty()) return loss;
  const auto importance = importance_of(layer, group);
  double mean = 0, variance = 0;
  for (const double i : importance) mean += i / experts;
  for (const double i : importance) variance += (i - mean) * (i - mean) / experts;
  loss.value = variance / (mean * mean);
  for (std::int64_t e = 0; e < layer.rules.experts; ++e) {
    const double variance_slope = 2 * (at(importance, e) - mean) / experts;
    at(loss.slope, e) = variance_slope / (mean * mean) - 2 * variance / (mean * mean * mean) / experts;
  }
  return loss;
}

// E * sum_e f_e P_e.
Loss switch_of(const LayerState& layer, const Tokens& group) {
  const auto experts = static_cast<double>(layer.rules.experts);
  const auto tokens = static_cast<double>(group.size());
  Loss loss{.value = 0, .slope = zeros(layer.rules.experts)};
  if (group.empty()) return loss;
  const auto counts = counts_of(layer, group);
  const auto importance = importance_of(layer, group);
  for (std::int64_t e = 0; e < layer.rules.experts; ++e) {
    const double share = static_cast<double>(at(counts, e)) / (tokens * static_cast<double>(layer.rules.top_k));
    loss.value += experts * share * at(importance, e) / tokens;
    at(loss.slope, e) = experts * share / tokens;
  }
  return loss;
}

// The mean of (log sum_e exp l_e)^2, whose slope for l_e is 2 lse p_e / T. Returns the value.
double z_of(LayerState& layer, const Tokens& group, double weight) {
  const auto experts = layer.rules.experts;
  const auto tokens = static_cast<double>(group.size());
  double value = 0;
  for (const auto t : group) {
    double largest = -1e300, sum = 0;
    for (std::int64_t e = 0; e < experts; ++e) largest = std::max(largest, at(layer.logits, t * experts + e));
    for (std::int64_t e = 0; e < experts; ++e) sum += std::exp(at(layer.logits, t * experts + e) - largest);
    const double log_sum = largest + std::log(sum);
    value += log_sum * log_sum / tokens;
    for (std::int64_t e = 0; e < experts; ++e)
      at(layer.grad_logits, t * experts + e) += weight * 2 * log_sum * at(layer.probs, t * experts + e) / tokens;
  }
  return value;
}

Loss loss_of(const LayerState& layer, const Tokens& group, const std::string& kind) {
  if (kind == "std" || kind == "cv") return deviation(layer, group, kind == "cv");
  if (kind == "cv2") return squared_variation(layer, group);
  return switch_of(layer, group);
}

}  // namespace

void balance(LayerState& layer, const Tokens& group, double share, Values& values) {
  const auto& terms = layer.rules.aux;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].kind == "z") {
      values[i] += share * z_of(layer, group, share * terms[i].weight);
      continue;
    }
    const auto loss = loss_of(layer, group, terms[i].kind);
    values[i] += share * loss.value;
    for (const auto t : group) {
      for (std::int64_t e = 0; e < layer.rules.experts; ++e)
        at(layer.grad_probs, t * layer.rules.experts + e) += share * terms[i].weight * at(loss.slope, e);
    }
  }
}

}  // namespace duet::reference
