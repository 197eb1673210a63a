#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "model/memory_model.h"
#include "model/time_model.h"
#include "model/traffic.h"

namespace duet {
namespace {

using ::testing::DoubleEq;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The seed project: 32 -> 64 -> 32, two experts, two ranks, float32.
constexpr std::int64_t expert = 32 * 64 + 64 + 64 * 32 + 32;
constexpr std::int64_t router = 32 * 2 + 2;
constexpr TrafficShape seed_shape{.dim = 32,
                                  .experts = 2,
                                  .ep = 2,
                                  .dp = 1,
                                  .value_bytes = 4,
                                  .router_parameters = router,
                                  .expert_parameters = expert,
                                  .input_grad = true};

TEST(Traffic, OfARingAllReduceIsTwiceTheTensorLessItsPart) {
  EXPECT_THAT(all_reduce_bytes(4, 100, 4), DoubleEq(2 * 3 / 4.0 * 400));
  EXPECT_THAT(all_reduce_bytes(1, 100, 4), DoubleEq(0));
}

TEST(Traffic, OfAStepIsFourExchangesCountsAndTheRouter) {
  const double counts = 8, router_bytes = router * 4;
  EXPECT_THAT(step_bytes(seed_shape, {.out = 10, .in = 7}), DoubleEq(2 * (10 + 7) * 128 + counts + router_bytes));
  auto shape = seed_shape;
  shape.input_grad = false;  // the gradient of dispatch stays away
  EXPECT_THAT(step_bytes(shape, {.out = 10, .in = 7}), DoubleEq((2 * 10 + 7) * 128 + counts + router_bytes));
}

TEST(Traffic, IsEqualAtAbout131TokensForTheSeedProject) {
  EXPECT_NEAR(byte_equal_tokens(seed_shape, 1, 2 * expert), 131, 1);
}

TEST(Traffic, IsNeverEqualForARankAlone) {
  auto shape = seed_shape;
  shape.ep = 1;
  EXPECT_TRUE(std::isinf(byte_equal_tokens(shape, 1, 2 * expert)));
}

TEST(TimeModel, FindsLatencyAndCostAgain) {
  const std::vector<Measurement> measured{{10, 25}, {100, 70}, {1000, 520}};  // 20 us and 0.5 us each
  const auto line = fit_time_line(measured);
  EXPECT_NEAR(line.alpha_us, 20, 1e-9);
  EXPECT_NEAR(line.beta_us, 0.5, 1e-12);
  EXPECT_NEAR(predict(line, 200).us, 120, 1e-9);
  EXPECT_FALSE(predict(line, 200).extrapolated);
  EXPECT_TRUE(predict(line, 2000).extrapolated);
  EXPECT_TRUE(predict(line, 5).extrapolated);
}

TEST(TimeModel, RefusesWhatGivesNoLine) {
  const std::vector<Measurement> one{{10, 25}, {10, 26}}, negative{{10, 25}, {20, -1}};
  EXPECT_THROW(fit_time_line(one), InputError);
  EXPECT_THROW(fit_time_line(negative), InputError);
}

TEST(TimeModel, CrossesOnlyWithinTheRangeOfBoth) {
  const TimeLine slow_start{.alpha_us = 100, .beta_us = 1, .smallest = 10, .largest = 1000};
  const TimeLine fast_start{.alpha_us = 10, .beta_us = 2, .smallest = 10, .largest = 1000};
  ASSERT_TRUE(crossing(slow_start, fast_start).has_value());
  EXPECT_NEAR(*crossing(slow_start, fast_start), 90, 1e-9);
  const TimeLine far{.alpha_us = 10, .beta_us = 1.01, .smallest = 10, .largest = 1000};
  EXPECT_FALSE(crossing(slow_start, far).has_value()) << "at 9000, where nothing was measured";
  EXPECT_FALSE(crossing(slow_start, slow_start).has_value());
}

TEST(MemoryModel, CountsParametersGradientsAndBothMoments) {
  EXPECT_EQ(expert_parameters(32, 64), expert);
  EXPECT_EQ(router_parameters(32, 2), router);
  const auto ep = rank_memory({.dim = 32, .hidden = 64, .experts = 2, .ep = 2});
  EXPECT_EQ(ep.parameters, (router + expert) * 4);
  EXPECT_EQ(ep.gradients, ep.parameters);
  EXPECT_EQ(ep.optimizer, 2 * ep.parameters);
  EXPECT_EQ(ep.total(), 4 * ep.parameters + ep.activations);
}

TEST(MemoryModel, FindsTheLargestHiddenSizeThatFits) {
  MemoryShape shape;
  const std::int64_t budget = 10'000'000;
  shape.hidden = largest_hidden(shape, budget);
  EXPECT_LE(rank_memory(shape).total(), budget);
  ++shape.hidden;
  EXPECT_GT(rank_memory(shape).total(), budget);
  EXPECT_EQ(largest_hidden(shape, 10), 0);
}

}  // namespace
}  // namespace duet
