#include "viz/model/flows.h"

#include <algorithm>

namespace duet::viz {

using trace::StepRecord;

namespace {

std::int64_t value_at(const std::vector<std::int64_t>& values, std::size_t i) {
  return i < values.size() ? values[i] : 0;
}

}  // namespace

const trace::LayerStep* layer_of(const StepRecord& step, std::size_t rank, std::size_t layer) {
  if (rank >= step.ranks.size()) return nullptr;  // of what was selected in another step or mode
  const auto& layers = step.ranks[rank].layers;
  return layer < layers.size() ? &layers[layer] : nullptr;
}

int owner_of(const StepRecord& step, std::size_t layer, int source, std::int64_t expert) {
  const auto* const own = layer_of(step, static_cast<std::size_t>(source), layer);
  if (own == nullptr) return source;
  const auto experts = std::ssize(own->tokens_per_expert);
  const auto here = std::ssize(own->expert_grad_norm);
  if (here == 0 || here >= experts) return source;  // every rank has all of them
  const auto group_size = static_cast<int>(experts / here);
  const auto owner = source / group_size * group_size + static_cast<int>(expert / here);
  return owner < static_cast<int>(step.ranks.size()) ? owner : source;
}

std::vector<Flow> flows_of(const StepRecord& step, std::size_t layer) {
  std::vector<Flow> flows;
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
    const auto* const one = layer_of(step, rank, layer);
    if (one == nullptr) continue;
    for (std::size_t expert = 0; expert < one->tokens_per_expert.size(); ++expert) {
      const auto e = static_cast<std::int64_t>(expert);
      flows.push_back({.rank = static_cast<int>(rank),
                       .owner = owner_of(step, layer, static_cast<int>(rank), e),
                       .expert = e,
                       .pairs = one->tokens_per_expert[expert],
                       .dropped = value_at(one->dropped_per_expert, expert)});
    }
  }
  return flows;
}

std::vector<Place> places_of(const std::vector<Flow>& flows) {
  std::vector<Place> all;
  all.reserve(flows.size());
  for (const auto& flow : flows) all.push_back({flow.owner, flow.expert, flow.pairs});
  std::sort(all.begin(), all.end(),
            [](const Place& a, const Place& b) { return std::pair(a.rank, a.expert) < std::pair(b.rank, b.expert); });
  std::vector<Place> places;
  for (const auto& one : all) {
    const bool known = !places.empty() && places.back().rank == one.rank && places.back().expert == one.expert;
    if (known) {
      places.back().pairs += one.pairs;
    } else {
      places.push_back(one);
    }
  }
  return places;
}

Total total_of(const std::vector<Flow>& flows) {
  Total total;
  for (const auto& flow : flows) {
    total.pairs += flow.pairs;
    total.dropped += flow.dropped;
  }
  return total;
}

bool capacity_is_of_a_rank(const std::vector<Flow>& flows, std::int64_t capacity) {
  return std::any_of(flows.begin(), flows.end(),
                     [&](const Flow& flow) { return flow.dropped > 0 && flow.pairs - flow.dropped == capacity; });
}

}  // namespace duet::viz
