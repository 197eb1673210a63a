#pragma once
/// Steps with single tokens, for the viewer's tests.
#include "tests/viz/steps.h"

namespace duet::viz::test {

inline trace::TokenRoute route(std::int64_t token, std::vector<std::int32_t> expert, std::vector<float> gate,
                               std::vector<trace::DropReason> reason) {
  return {.token = token,
          .logits = {0.5F, -0.25F},
          .expert = std::move(expert),
          .gate = std::move(gate),
          .reason = std::move(reason)};
}

/// `two_ranks` with its tokens: rank 0 has 0 to 3, rank 1 has 4 to 7. Expert 0 takes 2 of each rank's pairs: token 3 of
/// rank 0 finds it full.
inline trace::StepRecord two_ranks_with_tokens(trace::DropReason why = trace::DropReason::over_capacity) {
  using enum trace::DropReason;
  auto step = two_ranks();
  step.capacity = 2;
  for (auto& rank : step.ranks) rank.layers[0].drop_reason = why;
  step.ranks[0].layers[0].tokens = {route(0, {0}, {0.9F}, {kept}), route(1, {1}, {0.8F}, {kept}),
                                    route(2, {0}, {0.7F}, {kept}), route(3, {0}, {0.6F}, {why})};
  step.ranks[1].layers[0].tokens = {route(4, {1}, {0.9F}, {kept}), route(5, {0}, {0.8F}, {kept}),
                                    route(6, {1}, {0.7F}, {kept}), route(7, {0}, {0.6F}, {kept})};
  return step;
}

/// A large step: token t of a rank chooses experts t and t + 1, modulo their number; an expert takes `capacity`.
inline trace::StepRecord many(int ranks, std::int64_t experts, std::int64_t tokens, std::int64_t capacity,
                              bool shared) {
  trace::StepRecord step;
  step.mode = shared ? "ep" : "dp";
  step.capacity = capacity;
  step.ranks.resize(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    auto& one = step.ranks[static_cast<std::size_t>(rank)];
    one.rank = rank;
    one.layers.resize(1);
    auto& layer = one.layers[0];
    layer.token_count = tokens;
    layer.tokens_per_expert.assign(static_cast<std::size_t>(experts), 0);
    layer.dropped_per_expert = layer.tokens_per_expert;
    layer.first_expert = shared ? rank * experts / ranks : 0;
    layer.expert_grad_norm.assign(static_cast<std::size_t>(shared ? experts / ranks : experts), 1.0);
    for (std::int64_t t = 0; t < tokens; ++t) {
      trace::TokenRoute token{.token = rank * tokens + t, .logits = {}, .expert = {}, .gate = {}, .reason = {}};
      for (std::int64_t choice = 0; choice < 2; ++choice) {
        const auto expert = static_cast<std::size_t>((t + choice) % experts);
        const bool full = layer.tokens_per_expert[expert]++ >= capacity;
        if (full) ++layer.dropped_per_expert[expert];
        token.expert.push_back(static_cast<std::int32_t>(expert));
        token.gate.push_back(choice == 0 ? 0.6F : 0.3F);
        token.reason.push_back(full ? trace::DropReason::over_capacity : trace::DropReason::kept);
      }
      layer.tokens.push_back(std::move(token));
    }
  }
  return step;
}

}  // namespace duet::viz::test
