#include <algorithm>

#include "tests/reference_moe/layer_state.h"

namespace duet::reference {

namespace {

std::int64_t limit_of(const Rules& rules, std::int64_t tokens) {
  const auto numerator = rules.capacity_numerator * rules.top_k * tokens;
  const auto denominator = rules.capacity_denominator * rules.experts;
  const auto rounded_up = numerator / denominator + (numerator % denominator == 0 ? 0 : 1);
  return std::max(rules.min_capacity, rounded_up);
}

// The pairs of the group that want expert e, in the order of slots.
std::vector<std::int64_t> wanting(const LayerState& layer, const Tokens& group, std::int64_t e) {
  const auto k = layer.rules.top_k;
  std::vector<std::int64_t> pairs;
  const auto look = [&](std::int64_t t, std::int64_t j) {
    if (at(layer.chosen.expert, t * k + j) == e) pairs.push_back(t * k + j);
  };
  if (layer.rules.slot_order == "choice") {
    for (std::int64_t j = 0; j < k; ++j) {
      for (const auto t : group) look(t, j);
    }
  } else {
    for (const auto t : group) {
      for (std::int64_t j = 0; j < k; ++j) look(t, j);
    }
  }
  return pairs;
}

}  // namespace

void keep(LayerState& layer, const Tokens& group) {
  const auto& rules = layer.rules;
  const auto limit = limit_of(rules, static_cast<std::int64_t>(group.size()));
  for (std::int64_t e = 0; e < rules.experts; ++e) {
    auto pairs = wanting(layer, group, e);
    const auto& gate = layer.chosen.gate;
    if (rules.drop == "probability") {
      std::ranges::stable_sort(pairs, [&](auto a, auto b) { return at(gate, a) > at(gate, b); });
      for (std::size_t i = 1; i < pairs.size(); ++i) {
        const double apart = at(gate, pairs[i - 1]) - at(gate, pairs[i]);
        if (apart > 0) layer.smallest_margin = std::min(layer.smallest_margin, apart);
      }
    }
    if (rules.drop == "random" && rules.limited) {
      const auto& draw = layer.draws.drop;
      std::ranges::stable_sort(pairs, [&](auto a, auto b) { return at(draw, a) < at(draw, b); });
    }
    for (std::size_t i = 0; i < pairs.size(); ++i)
      layer.chosen.kept[static_cast<std::size_t>(pairs[i])] = !rules.limited || static_cast<std::int64_t>(i) < limit;
  }
}

}  // namespace duet::reference
