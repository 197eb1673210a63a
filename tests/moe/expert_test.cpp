#include "moe/expert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/moe/tensors.h"

namespace duet {
namespace {

using test::doubles;
using test::listed;
using ::testing::ElementsAre;

// dim 2, hidden 3. The hidden unit 2 is the negated first input, so that ReLU cuts it off for a positive one.
ExpertWeights weights_without_biases() {
  return {.w1 = doubles({1, 0, 0, 1, -1, 0}, {3, 2}),
          .b1 = doubles({0, 0, 0}, {3}),
          .w2 = doubles({1, 10, 100, 2, 20, 200}, {2, 3}),
          .b2 = doubles({0, 0}, {2})};
}

TEST(Expert, IsLinearReluLinear) {
  const auto out = expert_forward(doubles({1, 2, -3, 4}, {2, 2}), weights_without_biases());
  EXPECT_THAT(listed<double>(out), ElementsAre(21, 42, 340, 680));  // 1 + 20, and 40 + 100 * 3
}

TEST(Expert, AddsBothBiases) {
  auto weights = weights_without_biases();
  weights.b1 = doubles({0, 0, 2}, {3});
  weights.b2 = doubles({0.5, -0.5}, {2});
  const auto out = expert_forward(doubles({1, 2}, {1, 2}), weights);
  EXPECT_THAT(listed<double>(out), ElementsAre(121.5, 241.5));  // the third unit is now max(0, -1 + 2)
}

TEST(Expert, PutsNoReluAfterTheSecondLayer) {
  auto weights = weights_without_biases();
  weights.b2 = doubles({-100, -100}, {2});
  EXPECT_THAT(listed<double>(expert_forward(doubles({1, 2}, {1, 2}), weights)), ElementsAre(-79, -58));
}

TEST(Expert, TreatsEachRowAlone) {
  const auto rows = doubles({1, 2, -3, 4, 0, 0}, {3, 2});
  const auto weights = weights_without_biases();
  const auto together = expert_forward(rows, weights);
  for (int row = 0; row < 3; ++row) {
    EXPECT_EQ(listed<double>(expert_forward(rows.narrow(0, row, 1), weights)), listed<double>(together[row]));
  }
}

TEST(Expert, HasZeroGradientsForZeroRows) {
  auto weights = weights_without_biases();
  for (auto* parameter : {&weights.w1, &weights.b1, &weights.w2, &weights.b2}) parameter->requires_grad_(true);
  const auto out = expert_forward(doubles({}, {0, 2}), weights);
  ASSERT_THAT(out.sizes(), ElementsAre(0, 2));
  out.sum().backward();
  for (const auto& parameter : {weights.w1, weights.b1, weights.w2, weights.b2}) {
    ASSERT_TRUE(parameter.grad().defined());
    EXPECT_EQ(parameter.grad().abs().sum().item<double>(), 0);
  }
}

}  // namespace
}  // namespace duet
