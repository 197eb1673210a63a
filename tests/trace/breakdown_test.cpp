#include "trace/breakdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace duet::trace {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

Event phase(Phase phase, Direction direction, std::int64_t start_us, std::int64_t end_us) {
  Event event;
  event.phase = phase;
  event.direction = direction;
  event.start_ns = start_us * 1000;
  event.end_ns = end_us * 1000;
  return event;
}

Event exchange(Phase in, Direction direction, std::int64_t start_us, std::int64_t end_us, std::uint64_t sequence) {
  auto event = phase(in, direction, start_us, end_us);
  event.operation = Operation::all_to_all;
  event.group = 7;
  event.sequence = sequence;
  return event;
}

StepRecord step_of(std::vector<std::vector<Event>> ranks) {
  StepRecord step;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    step.ranks.push_back({.rank = static_cast<int>(rank), .events = std::move(ranks[rank]), .layers = {}});
  }
  return step;
}

PhaseTime time_of(const std::vector<PhaseTime>& times, const PhaseKey& key) {
  const auto order = phase_order();
  return times[static_cast<std::size_t>(std::find(order.begin(), order.end(), key) - order.begin())];
}

constexpr auto forward = Direction::forward;
constexpr auto backward = Direction::backward;
constexpr PhaseKey dispatch{Phase::dispatch, forward};

double sum(const std::vector<PhaseTime>& times) {
  double total = 0;
  for (const auto& time : times) total += time.total_us();
  return total;
}

TEST(Breakdown, CountsUntilTheLatestPeerStartsAsWaiting) {
  // Rank 0 comes at 10, rank 1 only at 40; the rows then take 5.
  const auto step = step_of({{phase(Phase::dispatch, forward, 8, 46), exchange(Phase::dispatch, forward, 10, 45, 1)},
                             {phase(Phase::dispatch, forward, 39, 46), exchange(Phase::dispatch, forward, 40, 45, 1)}});
  const auto time = time_of(divide(step), dispatch);
  EXPECT_THAT(time.wait_us, DoubleEq(30));
  EXPECT_THAT(time.transfer_us, DoubleEq(5));
  EXPECT_THAT(time.work_us, DoubleEq(3));
}

TEST(Breakdown, DoesNotCutAnExchangeWhoseWaitingCannotBeTold) {
  auto step = step_of({{phase(Phase::dispatch, forward, 8, 46), exchange(Phase::dispatch, forward, 10, 45, 1)},
                       {phase(Phase::dispatch, forward, 39, 46), exchange(Phase::dispatch, forward, 40, 45, 1)}});
  step.waits_told = false;
  const auto time = time_of(divide(step), dispatch);
  EXPECT_THAT(time.wait_us, DoubleEq(0));
  EXPECT_THAT(time.transfer_us, DoubleEq(35));
}

TEST(Breakdown, ComparesOnlyTheSameOperationOfTheSameGroup) {
  auto other = exchange(Phase::dispatch, forward, 44, 45, 2);
  const auto step = step_of({{exchange(Phase::dispatch, forward, 10, 45, 1)}, {other}});
  EXPECT_THAT(time_of(divide(step), dispatch).wait_us, DoubleEq(0));
  other.sequence = 1;
  other.group = 8;
  EXPECT_THAT(time_of(divide(step_of({{exchange(Phase::dispatch, forward, 10, 45, 1)}, {other}})), dispatch).wait_us,
              DoubleEq(0));
}

TEST(Breakdown, TakesTheSlowestRankAndDoesNotAddRanksUp) {
  const auto step = step_of({{phase(Phase::route, forward, 0, 10)}, {phase(Phase::route, forward, 0, 25)}});
  EXPECT_THAT(time_of(divide(step), {Phase::route, forward}).work_us, DoubleEq(25));
  EXPECT_THAT(sum(divide(step)), DoubleEq(25));
}

TEST(Breakdown, LeavesTheExchangeInsideBackwardOutOfBackwardsOwnWork) {
  const auto step = step_of({{phase(Phase::backward, backward, 0, 100), phase(Phase::combine, backward, 20, 50),
                              exchange(Phase::combine, backward, 25, 35, 1)}});
  const auto times = divide(step);
  EXPECT_THAT(time_of(times, {Phase::backward, backward}).work_us, DoubleEq(70));
  EXPECT_THAT(time_of(times, {Phase::combine, backward}).work_us, DoubleEq(20));
  EXPECT_THAT(time_of(times, {Phase::combine, backward}).transfer_us, DoubleEq(10));
}

TEST(Breakdown, AddsUpToTheStepWithWhatLiesBetweenPhases) {
  const auto step = step_of({{phase(Phase::route, forward, 5, 10), phase(Phase::plan, forward, 12, 20),
                              exchange(Phase::plan, forward, 13, 14, 1), phase(Phase::loss, forward, 30, 31)}});
  const auto times = divide(step);
  EXPECT_THAT(times.back().work_us, DoubleEq(12));
  EXPECT_THAT(sum(times), DoubleEq(26));
}

TEST(Breakdown, OfAStepWithoutRanksOrEventsIsZero) {
  EXPECT_THAT(sum(divide(step_of({}))), DoubleEq(0));
  EXPECT_THAT(sum(divide(step_of({{}, {}}))), DoubleEq(0));
}

TEST(Breakdown, GivesTheMedianOfStepsAndLeavesEmptyRowsOut) {
  std::vector<std::vector<PhaseTime>> steps;
  for (const int us : {10, 11, 500}) {
    steps.push_back(divide(step_of({{phase(Phase::route, forward, 0, us), phase(Phase::loss, forward, us, us + 1)}})));
  }
  const auto breakdown = break_down(steps);
  EXPECT_EQ(breakdown.steps, 3);
  EXPECT_THAT(breakdown.step_us.median, DoubleEq(12));
  EXPECT_THAT(breakdown.step_us.min, DoubleEq(11));
  std::vector<std::string> labels;
  for (const auto& row : breakdown.rows) labels.push_back(label(row.key));
  EXPECT_THAT(labels, ElementsAre("route", "loss"));
}

TEST(Statistics, InterpolatesBetweenNeighbours) {
  const std::vector<double> samples{4, 1, 3, 2};
  const auto spread = spread_of(samples);
  EXPECT_THAT(spread.median, DoubleEq(2.5));
  EXPECT_THAT(spread.p10, DoubleEq(1.3));
  EXPECT_THAT(spread.p90, DoubleEq(3.7));
  EXPECT_THAT(spread.min, DoubleEq(1));
  EXPECT_THAT(spread.mean, DoubleEq(2.5));
  EXPECT_THAT(spread_of({}).median, DoubleEq(0));
}

}  // namespace
}  // namespace duet::trace
