#pragma once
/// Steps with single tokens for the flow's tests.
#include "viz/model/flow_batch.h"

namespace duet::viz::test {

/// A rank's tokens, each with its choices; a negative choice -(e+1) is expert e, dropped.
using Choices = std::vector<std::vector<int>>;

/// Experts lie in blocks over the ranks, or, with `copies`, on every rank. Tokens are numbered over all ranks.
inline trace::StepRecord tokens_step(const std::vector<Choices>& ranks, std::int64_t experts, bool copies = false) {
  trace::StepRecord step;
  step.mode = copies ? "dp" : "ep";
  step.capacity = 2;
  std::int64_t token = 0;
  for (const auto& choices : ranks) {
    trace::RankStep rank;
    rank.rank = static_cast<int>(step.ranks.size());
    auto& layer = rank.layers.emplace_back();
    const auto here = copies ? experts : experts / static_cast<std::int64_t>(ranks.size());
    layer.first_expert = copies ? 0 : rank.rank * here;
    layer.expert_grad_norm.assign(static_cast<std::size_t>(here), 0.5);
    layer.tokens_per_expert.assign(static_cast<std::size_t>(experts), 0);
    layer.dropped_per_expert.assign(static_cast<std::size_t>(experts), 0);
    layer.token_count = std::ssize(choices);
    for (const auto& of_token : choices) {
      trace::TokenRoute route;
      route.token = token++;
      for (const int choice : of_token) {
        const int expert = choice < 0 ? -choice - 1 : choice;
        route.expert.push_back(expert);
        route.gate.push_back(0.5F);
        route.reason.push_back(choice < 0 ? trace::DropReason::over_capacity : trace::DropReason::kept);
        ++layer.tokens_per_expert[static_cast<std::size_t>(expert)];
        layer.dropped_per_expert[static_cast<std::size_t>(expert)] += choice < 0 ? 1 : 0;
      }
      layer.tokens.push_back(std::move(route));
    }
    step.ranks.push_back(std::move(rank));
  }
  return step;
}

/// Two ranks, two experts, one choice. Rank 0: tokens 0 to 3, the last dropped; rank 1: tokens 4 to 6.
inline trace::StepRecord two_by_two() { return tokens_step({{{1}, {0}, {1}, {-2}}, {{0}, {1}, {0}}}, 2); }

}  // namespace duet::viz::test
