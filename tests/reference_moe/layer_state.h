#pragma once
/// What one layer of the oracle has on its way forward and back, and how its arrays are read.
#include "tests/reference_moe/reference_moe.h"

namespace duet::reference {

using Values = std::vector<double>;
using Tokens = std::vector<std::int64_t>;  ///< token indexes, in the batch's order

/// Signed indexes, so that formulas read as on paper.
template <typename T>
decltype(auto) at(T& values, std::int64_t i) {
  return values[static_cast<std::size_t>(i)];
}

inline Values zeros(std::int64_t size) { return Values(static_cast<std::size_t>(size)); }

/// One layer's inputs, and what is learnt of it.
struct LayerState {
  const Rules& rules;
  const Parameters& parameters;
  Parameters& gradients;
  std::string name;  ///< "layer.0."
  const Draws& draws;
  std::int64_t tokens = 0;
  Values x;              ///< [T, D]
  Values logits, probs;  ///< [T, E]
  LayerResult chosen;
  double smallest_margin = 1e300;
  Values grad_logits, grad_probs;  ///< [T, E], of the auxiliary losses and then of all
  Values grad_gate;                ///< [T, k]
  Values grad_x;                   ///< [T, D]

  const Values& value(const std::string& parameter) const { return parameters.at(name + parameter); }
  Values& gradient(const std::string& parameter) const { return gradients.at(name + parameter); }
};

/// Logits, probabilities, the k best experts of every token and their gates.
void route(LayerState& layer);
/// From the gradients of gates, probabilities and logits to the router's and the input's.
void route_back(LayerState& layer);

/// Decides which pairs of a group of tokens stay.
void keep(LayerState& layer, const Tokens& group);

/// Adds the auxiliary losses of a group of tokens, times `share`, to `values`, and their gradients.
void balance(LayerState& layer, const Tokens& group, double share, Values& values);

/// y [D] of expert e for the input row [D].
Values expert_output(const LayerState& layer, std::int64_t e, const Values& row);
/// The gradient of the row, from that of y; adds those of the expert.
Values expert_back(const LayerState& layer, std::int64_t e, const Values& row, const Values& grad_y);

}  // namespace duet::reference
