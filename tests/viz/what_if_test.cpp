// What-if: the rule that a step was trained with gives back the drops that it had, whatever the rule.
#include "viz/app/what_if.h"

#include <gtest/gtest.h>

#include "cli/run_flags.h"
#include "core/error.h"
#include "train/train_run.h"

namespace duet::viz {
namespace {

trace::Header header_of(const RunConfig& config) {
  trace::Header header;
  std::string values;
  for (const auto& [flag, value] : cli::flag_values(config)) {
    values += (values.empty() ? "\"" : ",\"") + flag + "\":\"" + value + "\"";
  }
  header.config = "{" + values + "}";
  return header;
}

trace::StepRecord last_step(RunConfig config, Mode mode) {
  config.record_tokens = true;
  config.steps = 3;
  trace::StepRecord last;
  run_train(config, mode, {.on_step = [&](trace::StepRecord step) { last = std::move(step); }});
  return last;
}

std::vector<std::vector<trace::DropReason>> reasons(const trace::StepRecord& step) {
  std::vector<std::vector<trace::DropReason>> all;
  for (const auto& rank : step.ranks) {
    for (const auto& layer : rank.layers) {
      for (const auto& token : layer.tokens) all.push_back(token.reason);
    }
  }
  return all;
}

std::int64_t dropped(const trace::StepRecord& step) {
  std::int64_t sum = 0;
  for (const auto& rank : step.ranks) {
    for (const auto& layer : rank.layers) {
      for (const auto one : layer.dropped_per_expert) sum += one;
    }
  }
  return sum;
}

class EveryRule : public testing::TestWithParam<std::tuple<DropPolicy, SlotOrder, Scope, Mode>> {};

TEST_P(EveryRule, GivesBackWhatItDid) {
  const auto [drop, order, scope, mode] = GetParam();
  RunConfig config;
  config.layout.ranks = 2;
  config.model = {.experts = 4, .layers = 2, .top_k = 2, .capacity_factor = "0.75"};
  config.model.drop = drop;
  config.model.slot_order = order;
  config.model.capacity_scope = scope;
  config.accumulate = 2;
  config.data.tokens = {33, 20, 7, 40};
  const auto step = last_step(config, mode);
  ASSERT_GT(dropped(step), 0);
  const WhatIf same{"0.75", drop == DropPolicy::position ? "position"
                            : drop == DropPolicy::random ? "random"
                                                         : "probability"};
  const auto again = recompute_plan(header_of(config), step, same);
  EXPECT_EQ(reasons(again), reasons(step));
  EXPECT_EQ(dropped(again), dropped(step));
  EXPECT_EQ(again.capacity, step.capacity);
  const auto roomy = recompute_plan(header_of(config), step, {"none", "position"});
  EXPECT_EQ(dropped(roomy), 0);
  EXPECT_EQ(roomy.capacity, -1);
  EXPECT_GT(dropped(recompute_plan(header_of(config), step, {"0.5", same.drop})), dropped(step));
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryRule,
    testing::Combine(testing::Values(DropPolicy::position, DropPolicy::probability, DropPolicy::random),
                     testing::Values(SlotOrder::token, SlotOrder::choice), testing::Values(Scope::local, Scope::global),
                     testing::Values(Mode::ep, Mode::dp, Mode::single)));

TEST(WhatIfTest, AnotherPolicyDropsAsManyOthers) {
  RunConfig config;
  config.model.capacity_factor = "0.75";
  const auto step = last_step(config, Mode::ep);
  const auto other = recompute_plan(header_of(config), step, {"0.75", "probability"});
  EXPECT_EQ(dropped(other), dropped(step));
  EXPECT_NE(reasons(other), reasons(step));
}

TEST(WhatIfTest, NeedsTheScores) {
  RunConfig config;
  auto step = last_step(config, Mode::ep);
  EXPECT_THROW(recompute_plan(header_of(config), step, {"a lot", "position"}), InputError);
  for (auto& rank : step.ranks) rank.layers.front().tokens.clear();
  EXPECT_THROW(recompute_plan(header_of(config), step, {"1.0", "position"}), InputError);
}

TEST(WhatIfTest, ALiveRunMayHaveChangedTheNumberOfTokens) {
  RunConfig config;
  config.model.capacity_factor = "0.75";
  const auto step = last_step(config, Mode::single);
  auto stale = config;
  stale.data.tokens = {10};
  EXPECT_EQ(reasons(recompute_plan(header_of(stale), step, {"0.75", "position"})), reasons(step));
}

}  // namespace
}  // namespace duet::viz
