#include "trace/modes.h"

#include <algorithm>

namespace duet::trace {

namespace {

void add(std::vector<std::int64_t>& sum, const std::vector<std::int64_t>& counts) {
  sum.resize(std::max(sum.size(), counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
}

}  // namespace

std::vector<std::string> modes_of(const Trace& trace) {
  std::vector<std::string> modes;
  for (const auto& step : trace.steps) {
    if (std::find(modes.begin(), modes.end(), step.mode) == modes.end()) modes.push_back(step.mode);
  }
  return modes;
}

std::vector<const StepRecord*> steps_of(const Trace& trace, const std::string& mode) {
  std::vector<const StepRecord*> steps;
  for (const auto& step : trace.steps) {
    if (step.mode == mode) steps.push_back(&step);
  }
  return steps;
}

std::vector<const StepRecord*> timed_steps(const Trace& trace, const std::string& mode) {
  const auto all = steps_of(trace, mode);
  std::vector<const StepRecord*> timed;
  for (const auto* step : all) {
    if (step->step >= trace.header.warm_up) timed.push_back(step);
  }
  return timed.empty() ? all : timed;
}

std::size_t layers_of(const StepRecord& step) {
  std::size_t layers = 0;
  for (const auto& rank : step.ranks) layers = std::max(layers, rank.layers.size());
  return layers;
}

std::string of_layer(const StepRecord& step, std::size_t layer) {
  return layers_of(step) > 1 ? " of layer " + std::to_string(layer) : "";
}

std::vector<std::int64_t> tokens_per_expert(const StepRecord& step, std::size_t layer) {
  std::vector<std::int64_t> sum;
  for (const auto& rank : step.ranks) {
    if (layer < rank.layers.size()) add(sum, rank.layers[layer].tokens_per_expert);
  }
  return sum;
}

std::vector<std::int64_t> dropped_per_expert(const StepRecord& step, std::size_t layer) {
  std::vector<std::int64_t> sum;
  for (const auto& rank : step.ranks) {
    if (layer < rank.layers.size()) add(sum, rank.layers[layer].dropped_per_expert);
  }
  return sum;
}

}  // namespace duet::trace
