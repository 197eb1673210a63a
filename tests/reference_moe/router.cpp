#include <algorithm>
#include <cmath>

#include "tests/reference_moe/layer_state.h"

namespace duet::reference {

namespace {

double router_input(const LayerState& layer, std::int64_t t, std::int64_t d) {
  const auto i = t * layer.rules.dim + d;
  return at(layer.x, i) * (layer.draws.jitter.empty() ? 1 : at(layer.draws.jitter, i));
}

void score(LayerState& layer, std::int64_t t) {
  const auto& rules = layer.rules;
  double largest = -1e300;
  for (std::int64_t e = 0; e < rules.experts; ++e) {
    double logit = rules.router_bias ? at(layer.value("router.bias"), e) : 0;
    for (std::int64_t d = 0; d < rules.dim; ++d)
      logit += at(layer.value("router.weight"), e * rules.dim + d) * router_input(layer, t, d);
    if (!layer.draws.noise.empty()) logit += at(layer.draws.noise, t * rules.experts + e);
    at(layer.logits, t * rules.experts + e) = logit;
    largest = std::max(largest, logit);
  }
  double sum = 0;
  for (std::int64_t e = 0; e < rules.experts; ++e) sum += std::exp(at(layer.logits, t * rules.experts + e) - largest);
  for (std::int64_t e = 0; e < rules.experts; ++e)
    at(layer.probs, t * rules.experts + e) = std::exp(at(layer.logits, t * rules.experts + e) - largest) / sum;
}

// The choice bias chooses; it does not weigh.
double preference(const LayerState& layer, std::int64_t t, std::int64_t e) {
  const auto bias = layer.parameters.find(layer.name + "router.choice_bias");
  return at(layer.probs, t * layer.rules.experts + e) + (bias == layer.parameters.end() ? 0 : at(bias->second, e));
}

void choose(LayerState& layer, std::int64_t t) {
  const auto& rules = layer.rules;
  std::vector<bool> taken(static_cast<std::size_t>(rules.experts));
  const auto best = [&] {
    std::int64_t found = -1;
    for (std::int64_t e = 0; e < rules.experts; ++e) {
      if (!taken[static_cast<std::size_t>(e)] && (found < 0 || preference(layer, t, e) > preference(layer, t, found)))
        found = e;  // ties: the lowest stays
    }
    return found;
  };
  double sum = 0;
  for (std::int64_t j = 0; j < rules.top_k; ++j) {
    const auto e = best();
    taken[static_cast<std::size_t>(e)] = true;
    at(layer.chosen.expert, t * rules.top_k + j) = e;
    at(layer.chosen.gate, t * rules.top_k + j) = at(layer.probs, t * rules.experts + e);
    sum += at(layer.probs, t * rules.experts + e);
    ++at(layer.chosen.counts, e);
    if (const auto next = best(); next >= 0)
      layer.smallest_margin = std::min(layer.smallest_margin, preference(layer, t, e) - preference(layer, t, next));
  }
  for (std::int64_t j = 0; j < rules.top_k && rules.renormalize; ++j) at(layer.chosen.gate, t * rules.top_k + j) /= sum;
}

// A renormalised gate g_j = p_j / S has d p_j = (d g_j - sum_i d g_i g_i) / S.
void gate_back(LayerState& layer, std::int64_t t) {
  const auto& rules = layer.rules;
  double sum = 1, weighted = 0;
  if (rules.renormalize) {
    sum = 0;
    for (std::int64_t pair = t * rules.top_k; pair < (t + 1) * rules.top_k; ++pair) {
      sum += at(layer.probs, t * rules.experts + at(layer.chosen.expert, pair));
      weighted += at(layer.grad_gate, pair) * at(layer.chosen.gate, pair);
    }
  }
  for (std::int64_t pair = t * rules.top_k; pair < (t + 1) * rules.top_k; ++pair)
    at(layer.grad_probs, t * rules.experts + at(layer.chosen.expert, pair)) +=
        (at(layer.grad_gate, pair) - weighted) / sum;
}

void score_back(LayerState& layer, std::int64_t t) {
  const auto& rules = layer.rules;
  const auto row = t * rules.experts;
  double mean = 0;
  for (std::int64_t e = 0; e < rules.experts; ++e) mean += at(layer.grad_probs, row + e) * at(layer.probs, row + e);
  for (std::int64_t e = 0; e < rules.experts; ++e) {
    const double grad =
        at(layer.grad_logits, row + e) + at(layer.probs, row + e) * (at(layer.grad_probs, row + e) - mean);
    if (rules.router_bias) at(layer.gradient("router.bias"), e) += grad;
    for (std::int64_t d = 0; d < rules.dim; ++d) {
      const auto i = t * rules.dim + d;
      at(layer.gradient("router.weight"), e * rules.dim + d) += grad * router_input(layer, t, d);
      at(layer.grad_x, i) += grad * at(layer.value("router.weight"), e * rules.dim + d) *
                             (layer.draws.jitter.empty() ? 1 : at(layer.draws.jitter, i));
    }
  }
}

}  // namespace

void route(LayerState& layer) {
  for (std::int64_t t = 0; t < layer.tokens; ++t) {
    score(layer, t);
    choose(layer, t);
  }
}

void route_back(LayerState& layer) {
  for (std::int64_t t = 0; t < layer.tokens; ++t) {
    gate_back(layer, t);
    score_back(layer, t);
  }
}

}  // namespace duet::reference
