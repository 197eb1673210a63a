#include "train/step_board.h"

#include <algorithm>

namespace duet {

namespace {

// First event's start to last event's end on the slowest rank.
std::int64_t slowest_ns(const std::vector<trace::RankStep>& ranks) {
  std::int64_t slowest = 0;
  for (const auto& rank : ranks) {
    std::int64_t end = 0;
    for (const auto& event : rank.events) end = std::max(end, event.end_ns);
    if (!rank.events.empty()) slowest = std::max(slowest, end - rank.events.front().start_ns);
  }
  return slowest;
}

}  // namespace

std::vector<trace::StepRecord> StepBoard::join(const std::string& mode, int ranks, double aux_weight) {
  std::vector<trace::StepRecord> steps(parts_.front().size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto& step = steps[i];
    step.mode = mode;
    step.step = parts_.front()[i].step;
    step.aux_weight = aux_weight;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
      auto& part = parts_[rank][i];
      step.loss += part.loss;
      step.aux += part.aux;
      step.capacity = std::max(step.capacity, part.capacity);
      step.ranks.push_back(std::move(part.record));
    }
    step.step_ns = slowest_ns(step.ranks);
  }
  for (auto& part : parts_) part.clear();
  return steps;
}

}  // namespace duet
