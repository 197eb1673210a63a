#include "trace/balance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/trace/traces.h"

namespace duet::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Rank 0: 10 and 6 pairs; rank 1: 11 and 5, one of them dropped.
TEST(Balance, AddsUpRanks) {
  const auto balance = balance_of(two_rank_step("ep", 0, 0), 0);
  EXPECT_THAT(balance.tokens_per_expert, ElementsAre(21, 11));
  EXPECT_DOUBLE_EQ(balance.std, std::sqrt(50.0));
  EXPECT_DOUBLE_EQ(balance.max_over_mean, 21 / 16.0);
  EXPECT_DOUBLE_EQ(balance.entropy, 16 / 32.0) << "over all tokens, not a mean of ranks";
  EXPECT_DOUBLE_EQ(balance.entropy_share, 0.5 / std::log(2.0));
  EXPECT_THAT(balance.dropped_by_reason, ElementsAre(Pair("over_capacity", 1 / 32.0)));
  EXPECT_DOUBLE_EQ(balance.dropped(), 1 / 32.0);
  EXPECT_THAT(balance.expert_grad_norm, ElementsAre(3, 4));
}

TEST(Balance, CountsAnExpertThatRanksRepeatOnce) {
  auto step = two_rank_step("dp", 0, 0);
  for (auto& rank : step.ranks) {
    rank.layers[0].first_expert = 0;
    rank.layers[0].expert_grad_norm = {3, 4};
  }
  EXPECT_THAT(balance_of(step, 0).expert_grad_norm, ElementsAre(3, 4));
}

TEST(Balance, WithoutTokensAndOfALayerThatIsNotThereIsZero) {
  auto step = two_rank_step("ep", 0, 0);
  for (auto& rank : step.ranks) {
    LayerStep empty;
    empty.tokens_per_expert = empty.dropped_per_expert = {0, 0};
    rank.layers[0] = empty;
  }
  for (const auto& balance : {balance_of(step, 0), balance_of(step, 5)}) {
    EXPECT_EQ(balance.std, 0);
    EXPECT_EQ(balance.max_over_mean, 0);
    EXPECT_EQ(balance.entropy, 0);
    EXPECT_TRUE(balance.dropped_by_reason.empty());
  }
  EXPECT_EQ(balances_of(step).size(), 1U);
}

}  // namespace
}  // namespace duet::trace
