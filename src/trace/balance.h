#pragma once
/// How evenly a layer's router used its experts in a step.
#include <map>

#include "trace/record.h"

namespace duet::trace {

struct Balance {
  std::vector<std::int64_t> tokens_per_expert;      ///< [E], before dropping
  double std = 0;                                   ///< of those; n - 1, and 0 for one expert
  double max_over_mean = 0;                         ///< 1 at perfect balance, E at collapse; 0 without tokens
  double entropy = 0;                               ///< mean over tokens of the router's entropy, in nats
  double entropy_share = 0;                         ///< of log E, the entropy of a router that does not choose
  std::map<std::string, double> dropped_by_reason;  ///< share of all pairs; empty when nothing was dropped
  std::vector<double> expert_grad_norm;             ///< [E], each expert once; NaN for one that no rank recorded

  double dropped() const;  ///< share of all pairs, whatever the reason
};

/// The balance of one layer over all ranks; all zero for a layer that the step does not have.
Balance balance_of(const StepRecord& step, std::size_t layer);

/// Of every layer.
std::vector<Balance> balances_of(const StepRecord& step);

/// The standard deviation of counts, n - 1; 0 for fewer than two.
double standard_deviation(const std::vector<std::int64_t>& counts);

}  // namespace duet::trace
