// A run under a person's hand: the same steps as any run while nothing is changed, and the changes that are allowed.
#include "train/live_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "train/modes_run.h"

namespace duet {
namespace {

using Records = std::vector<trace::StepRecord>;

// Trains `steps` steps; `change` may alter the settings of each.
Records live(const RunConfig& config, std::int64_t steps,
             const std::function<void(std::int64_t, RunConfig&)>& change = {}) {
  Records records;
  auto now = config;
  run_live(config, {.next =
                        [&](std::int64_t step) {
                          if (change) change(step, now);
                          return LiveOrder{.stop = step == steps, .config = now};
                        },
                    .on_step = [&](trace::StepRecord record) { records.push_back(std::move(record)); }});
  return records;
}

TEST(LiveRun, UntouchedItIsTheRunThatCompareMakes) {
  RunConfig config;
  config.model.capacity_factor = "1.0";
  const auto records = live(config, 5);
  ASSERT_EQ(records.size(), 15U);  // three modes
  std::map<std::pair<std::string, std::int64_t>, double> losses;
  run_modes(config, at::kFloat, 5, 5,
            {.on_step =
                 [&](const trace::StepRecord& step) {
                   losses[{step.mode, step.step}] = step.loss;
                 },
             .on_step_done = {},
             .stop = nullptr});
  for (const auto& record : records) EXPECT_EQ(record.loss, (losses[{record.mode, record.step}])) << record.mode;
}

TEST(LiveRun, TakesOtherSettingsFromTheNextStepOn) {
  const auto records = live({}, 3, [](std::int64_t step, RunConfig& now) {
    if (step != 1) return;
    now.data.tokens = {96};
    now.model.capacity_factor = "0.5";
    now.model.aux = {{AuxKind::z, 0.01}};
  });
  for (const auto& record : records) {
    SCOPED_TRACE(record.mode + ", step " + std::to_string(record.step));
    std::int64_t tokens = 0;
    for (const auto& rank : record.ranks) tokens += rank.layers.front().token_count;
    EXPECT_EQ(tokens, record.step == 0 ? 128 : 192);
    EXPECT_EQ(record.capacity, record.step == 0 ? -1 : 24);
    EXPECT_EQ(record.aux.front().kind, record.step == 0 ? "std" : "z");
  }
}

TEST(LiveRun, EveryModeStaysTheSameModelAfterAChange) {
  RunConfig config;
  config.float64 = true;
  const auto records = live(config, 12, [](std::int64_t step, RunConfig& now) {
    now.data.tokens = {32 + 8 * (step % 3)};
    now.model.capacity_factor = step < 6 ? "none" : "0.75";
    now.optimizer.lr = step < 4 ? 3e-3 : 1e-2;
    now.data.dataset = step < 9 ? Dataset::two_functions : Dataset::random;
  });
  for (std::size_t i = 0; i < records.size(); i += 3) {
    EXPECT_NEAR(records[i].loss, records[i + 2].loss, 1e-12 * records[i + 2].loss) << "step " << records[i].step;
    EXPECT_NEAR(records[i + 1].loss, records[i + 2].loss, 1e-12 * records[i + 2].loss) << "step " << records[i].step;
  }
}

TEST(LiveRun, ARateOfZeroStopsTheLearning) {
  const auto records = live({}, 4, [](std::int64_t step, RunConfig& now) {
    if (step == 1) now.optimizer.lr = 0;
    now.data.dataset = Dataset::random;
  });
  const auto again = live({}, 4, [](std::int64_t step, RunConfig& now) {
    if (step == 2) now.optimizer.lr = 0;
    now.data.dataset = Dataset::random;
  });
  EXPECT_EQ(records[3].loss, again[3].loss);
  EXPECT_NE(records[6].loss, again[6].loss);  // one more step was learnt from
}

TEST(LiveRun, WhatTheListenerThrowsEndsIt) {
  const LiveListener full_disk{.next = [](std::int64_t) { return LiveOrder{}; },
                               .on_step = [](const trace::StepRecord&) { throw InputError("the disk is full"); }};
  EXPECT_THROW(run_live({}, full_disk), Error);
}

}  // namespace
}  // namespace duet
