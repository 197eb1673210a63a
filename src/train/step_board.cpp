#include "train/step_board.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "comm/gather_text.h"
#include "comm/one_host.h"
#include "train/step_part.h"

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

// The routers are the same on every rank, and every expert counts once, on the first rank that holds it.
double grad_norm(const std::vector<trace::RankStep>& ranks, double router_norm) {
  double squares = router_norm * router_norm;
  std::set<std::pair<std::size_t, std::int64_t>> counted;
  for (const auto& rank : ranks) {
    for (std::size_t l = 0; l < rank.layers.size(); ++l) {
      auto expert = rank.layers[l].first_expert;
      for (const double norm : rank.layers[l].expert_grad_norm) {
        if (counted.insert({l, expert++}).second) squares += norm * norm;
      }
    }
  }
  return std::sqrt(squares);
}

}  // namespace

void StepBoard::look_at(comm::Communicator& world) {
  if (waits_told_) return;
  waits_told_ = world.transport() != "nccl" && (world.shares_memory() || comm::on_one_host(world));
}

void StepBoard::lay(comm::Communicator& world, std::vector<RankStepResult> steps,
                    std::optional<comm::Deadline> patience) {
  const auto rank = static_cast<std::size_t>(world.rank());
  if (rank == 0 || !world.shares_memory()) look_at(world);
  if (world.shares_memory()) {
    parts_[rank] = std::move(steps);
    world.barrier(patience);
    return;
  }
  world.barrier(patience);
  const auto texts = comm::gather_text(world, rank == 0 ? std::string() : steps_to_text(steps));
  for (std::size_t other = 1; other < texts.size(); ++other) parts_[other] = steps_from_text(texts[other]);
  parts_[rank] = std::move(steps);
}

std::vector<trace::StepRecord> StepBoard::join(const std::string& mode, int ranks, const std::vector<AuxTerm>& aux) {
  std::vector<trace::StepRecord> steps(parts_.front().size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto& step = steps[i];
    step.mode = mode;
    step.step = parts_.front()[i].step;
    for (const auto& term : aux) step.aux.push_back({.kind = duet::name(term.kind), .value = 0, .weight = term.weight});
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
      auto& part = parts_[rank][i];
      step.loss += part.loss;
      for (std::size_t t = 0; t < aux.size(); ++t) step.aux[t].value += part.aux[t];
      step.capacity = std::max(step.capacity, part.capacity);
      step.ranks.push_back(std::move(part.record));
    }
    step.grad_norm = grad_norm(step.ranks, parts_.front()[i].router_grad_norm);
    step.step_ns = slowest_ns(step.ranks);
    step.waits_told = waits_told_.value_or(true);
  }
  for (auto& part : parts_) part.clear();
  return steps;
}

}  // namespace duet
