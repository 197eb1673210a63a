#include "train/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace duet {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

RunConfig small_run() {
  RunConfig config;
  config.steps = 12;
  config.data.tokens = {24};
  return config;
}

constexpr CompareOptions short_check{.block = 5, .warm_up = 2, .check_steps = 5};

struct Shape {
  std::string name;
  int ranks, ep;
  std::int64_t experts, top_k;
  std::string capacity;
  std::vector<std::int64_t> tokens;
  comm::Algorithms algorithms;
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

RunConfig config_of(const Shape& shape) {
  auto config = small_run();
  config.layout = {.ranks = shape.ranks, .ep = shape.ep};
  config.model.experts = shape.experts;
  config.model.top_k = shape.top_k;
  config.model.capacity_factor = shape.capacity;
  config.data.tokens = shape.tokens;
  config.algorithms = shape.algorithms;
  return config;
}

const comm::Algorithms written_over_send{.all_reduce = comm::AllReduceAlgorithm::ring,
                                         .all_to_all = comm::AllToAllAlgorithm::pairwise};

class CompareOn : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(
    Compare, CompareOn,
    testing::Values(Shape{"two_ranks", 2, 2, 2, 1, "none", {24}, {}}, Shape{"dropping", 2, 2, 2, 1, "1.0", {24}, {}},
                    Shape{"top_two", 2, 2, 4, 2, "1.25", {24}, {}}, Shape{"hybrid", 4, 2, 4, 1, "1.0", {16}, {}},
                    Shape{"uneven", 3, 3, 3, 1, "1.0", {5, 0, 30}, {}}, Shape{"one_rank", 1, 1, 1, 1, "none", {24}, {}},
                    Shape{"no_tokens", 2, 2, 2, 1, "1.0", {0}, {}},
                    Shape{"lessons_algorithms", 3, 3, 3, 2, "1.0", {24}, written_over_send}),
    [](const auto& shape) { return shape.param.name; });

TEST_P(CompareOn, AllThreeComputeTheSame) {
  const auto result = run_compare(config_of(GetParam()), short_check, {});
  EXPECT_TRUE(result.equal) << "EP " << result.difference_f64.ep << ", DP " << result.difference_f64.dp;
  EXPECT_EQ(result.steps, 12);
  EXPECT_EQ(result.ep.breakdown.steps, 10);
}

TEST_P(CompareOn, TheMeasuredBytesAreTheFormulas) {
  const auto result = run_compare(config_of(GetParam()), short_check, {});
  EXPECT_NEAR(result.ep.bytes.measured, result.ep.bytes.formula, 1e-6 * result.ep.bytes.formula);
  EXPECT_NEAR(result.dp.bytes.measured, result.dp.bytes.formula, 1e-6 * result.dp.bytes.formula);
  EXPECT_EQ(result.single.bytes.measured, 0);
}

TEST(Compare, HoldsHalfTheExpertsOnEachOfTwoRanks) {
  const auto result = run_compare(small_run(), short_check, {});
  const std::int64_t router = (32 + 1) * 2;
  const std::int64_t expert = 32 * 64 + 64 + 64 * 32 + 32;
  EXPECT_EQ(result.ep.parameter_bytes, (router + expert) * 4);
  EXPECT_EQ(result.dp.parameter_bytes, (router + 2 * expert) * 4);
  EXPECT_EQ(result.single.optimizer_bytes, 2 * (router + 2 * expert) * 4);
}

TEST(Compare, GivesTheSameBitsTwice) {
  const auto first = run_compare(small_run(), short_check, {});
  const auto second = run_compare(small_run(), short_check, {});
  EXPECT_EQ(first.ep.losses, second.ep.losses);
  EXPECT_EQ(first.dp.losses, second.dp.losses);
  EXPECT_EQ(first.difference.largest(), second.difference.largest());
}

TEST(Compare, CountsWhatIsDropped) {
  auto config = small_run();
  config.model.capacity_factor = "0.5";  // room for half the pairs
  EXPECT_GE(run_compare(config, short_check, {}).dropped_share, 0.5);
  config.model.capacity_factor = "1000";
  EXPECT_EQ(run_compare(config, short_check, {}).dropped_share, 0);
}

TEST(Compare, TellsEveryStepOnceInOrder) {
  std::map<std::string, std::vector<std::int64_t>> steps;
  run_compare(
      small_run(), short_check,
      {.on_step = [&](const trace::StepRecord& step) { steps[step.mode].push_back(step.step); }, .on_progress = {}});
  for (const auto* mode : {"ep", "dp", "single"}) {
    EXPECT_THAT(steps[mode], testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)) << mode;
  }
}

TEST(Compare, EndsAfterTheBlockWhenToldToStop) {
  std::atomic<bool> stop{false};
  auto config = small_run();
  config.steps = 1000;
  const auto result =
      run_compare(config, short_check,
                  {.on_step = [&](const trace::StepRecord&) { stop = true; }, .on_progress = {}, .stop = &stop});
  EXPECT_EQ(result.steps, 5);
}

TEST(Compare, RefusesExpertsThatTheRanksDoNotDivide) {
  auto config = small_run();
  config.layout.ranks = 2;
  config.model.experts = 3;
  EXPECT_THAT([&] { run_compare(config, short_check, {}); }, ThrowsMessage<InputError>(HasSubstr("3 experts")));
}

TEST(Compare, NamesStepRankAndTokenOfALogitThatIsNotFinite) {
  auto config = small_run();
  config.optimizer.lr = 1e38;  // the second step starts from infinite parameters
  EXPECT_THAT([&] { run_compare(config, short_check, {}); },
              ThrowsMessage<InputError>(testing::AllOf(HasSubstr("step "), HasSubstr("rank "), HasSubstr("token "))));
}

}  // namespace
}  // namespace duet
