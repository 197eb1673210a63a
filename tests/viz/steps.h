#pragma once
/// Steps for the viewer's tests: two ranks, two experts, numbers that can be followed by hand.
#include "trace/record.h"

namespace duet::viz::test {

inline trace::Event event(trace::Phase phase, std::int64_t from, std::int64_t to) {
  trace::Event e;
  e.phase = phase;
  e.start_ns = from;
  e.end_ns = to;
  return e;
}

inline trace::Event exchange(trace::Phase phase, std::int64_t from, std::int64_t to, std::uint64_t sequence) {
  auto e = event(phase, from, to);
  e.operation = trace::Operation::all_to_all;
  e.bytes = 256;
  e.sequence = sequence;
  return e;
}

/// Rank 0 sends 3 and 1 pairs to experts 0 and 1, rank 1 sends 2 and 2; of rank 0's 3, one is dropped. Rank 1 comes
/// 300 ns late to the dispatch.
inline trace::StepRecord two_ranks() {
  trace::StepRecord step;
  step.mode = "ep";
  step.step = 7;
  step.step_ns = 2000;
  step.ranks.resize(2);
  for (int rank = 0; rank < 2; ++rank) {
    auto& one = step.ranks[static_cast<std::size_t>(rank)];
    one.rank = rank;
    one.layers.resize(1);
    one.layers[0].token_count = 4;
    one.layers[0].first_expert = rank;
    one.layers[0].expert_grad_norm = {0.5};
    const std::int64_t late = rank * 300;
    one.events = {event(trace::Phase::route, 0, 400 + late), event(trace::Phase::dispatch, 400 + late, 900),
                  exchange(trace::Phase::dispatch, 450 + late, 880, 1), event(trace::Phase::expert, 900, 2000)};
  }
  step.ranks[0].layers[0].tokens_per_expert = {3, 1};
  step.ranks[0].layers[0].dropped_per_expert = {1, 0};
  step.ranks[1].layers[0].tokens_per_expert = {2, 2};
  step.ranks[1].layers[0].dropped_per_expert = {0, 0};
  return step;
}

}  // namespace duet::viz::test
