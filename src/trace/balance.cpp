#include "trace/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "trace/modes.h"

namespace duet::trace {

namespace {

double sum(const std::vector<std::int64_t>& counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

// Ranks that repeat an expert have the same norm of it, for gradients are averaged; the first one counts.
void add_norms(const LayerStep& layer, std::vector<double>& norms) {
  for (std::size_t i = 0; i < layer.expert_grad_norm.size(); ++i) {
    const auto expert = static_cast<std::size_t>(layer.first_expert) + i;
    if (expert < norms.size() && std::isnan(norms[expert])) norms[expert] = layer.expert_grad_norm[i];
  }
}

}  // namespace

double Balance::dropped() const {
  double all = 0;
  for (const auto& [reason, share] : dropped_by_reason) all += share;
  return all;
}

double standard_deviation(const std::vector<std::int64_t>& counts) {
  if (counts.size() < 2) return 0;
  const auto n = static_cast<double>(counts.size());
  const double mean = sum(counts) / n;
  double squares = 0;
  for (const auto count : counts) squares += std::pow(static_cast<double>(count) - mean, 2);
  return std::sqrt(squares / (n - 1));
}

Balance balance_of(const StepRecord& step, std::size_t layer) {
  Balance balance;
  balance.tokens_per_expert = tokens_per_expert(step, layer);
  const auto& counts = balance.tokens_per_expert;
  const double pairs = sum(counts), experts = static_cast<double>(counts.size());
  balance.std = standard_deviation(counts);
  if (pairs > 0) {
    balance.max_over_mean = static_cast<double>(*std::max_element(counts.begin(), counts.end())) * experts / pairs;
  }
  balance.expert_grad_norm.assign(counts.size(), std::numeric_limits<double>::quiet_NaN());
  double entropy_sum = 0;
  std::int64_t tokens = 0;
  for (const auto& rank : step.ranks) {
    if (layer >= rank.layers.size()) continue;
    const auto& part = rank.layers[layer];
    entropy_sum += part.entropy_sum;
    tokens += part.token_count;
    const double dropped = sum(part.dropped_per_expert);
    if (dropped > 0 && pairs > 0) balance.dropped_by_reason[name(part.drop_reason)] += dropped / pairs;
    add_norms(part, balance.expert_grad_norm);
  }
  if (tokens > 0) balance.entropy = entropy_sum / static_cast<double>(tokens);
  if (experts > 1) balance.entropy_share = balance.entropy / std::log(experts);
  return balance;
}

std::vector<Balance> balances_of(const StepRecord& step) {
  std::vector<Balance> balances;
  for (std::size_t layer = 0; layer < layers_of(step); ++layer) balances.push_back(balance_of(step, layer));
  return balances;
}

}  // namespace duet::trace
