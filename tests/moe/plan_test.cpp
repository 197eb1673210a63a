#include "moe/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/moe/tensors.h"

namespace duet {
namespace {

using test::flags;
using test::integers;
using ::testing::ElementsAre;

std::vector<std::int64_t> listed(const at::Tensor& tensor) { return test::listed<std::int64_t>(tensor); }

Kept all_kept(const at::Tensor& expert) { return {.mask = at::ones_like(expert, at::kBool), .counts = {}}; }

TEST(Plan, GroupsRowsByExpertAndKeepsTokenOrderInAGroup) {
  const auto expert = integers({1, 0, 1, 0, 0}, {5, 1});
  const auto plan = make_plan(expert, all_kept(expert), place_in_blocks(2, 2));
  EXPECT_THAT(listed(plan.order), ElementsAre(1, 3, 4, 0, 2));
  EXPECT_THAT(plan.send_rows, ElementsAre(3, 2));
}

TEST(Plan, PutsTheExpertsOfARankSideBySide) {
  const auto expert = integers({3, 2, 1, 0}, {4, 1});
  const auto plan = make_plan(expert, all_kept(expert), place_in_blocks(4, 2));
  EXPECT_THAT(listed(plan.order), ElementsAre(3, 2, 1, 0));  // experts 0 and 1 on rank 0, 2 and 3 on rank 1
  EXPECT_THAT(plan.send_rows, ElementsAre(1, 1, 1, 1));
}

TEST(Plan, PositionIsTheInverseOfOrder) {
  const auto expert = integers({2, 0, 1, 1, 0, 2}, {6, 1});
  const auto plan = make_plan(expert, all_kept(expert), place_in_blocks(3, 1));
  const auto order = listed(plan.order);
  const auto position = listed(plan.position);
  ASSERT_EQ(order.size(), 6U);
  for (std::size_t row = 0; row < order.size(); ++row) {
    EXPECT_EQ(position[static_cast<std::size_t>(order[row])], static_cast<std::int64_t>(row));
  }
}

TEST(Plan, LeavesDroppedPairsOut) {
  const auto expert = integers({0, 0, 1, 0}, {4, 1});
  const Kept kept{.mask = flags({1, 0, 1, 1}, {4, 1}), .counts = {}};
  const auto plan = make_plan(expert, kept, place_in_blocks(2, 2));
  EXPECT_THAT(listed(plan.order), ElementsAre(0, 3, 2));
  EXPECT_THAT(plan.send_rows, ElementsAre(2, 1));
  EXPECT_THAT(listed(plan.position), ElementsAre(0, 3, 2, 1));  // 3, the number of rows, marks the dropped one
}

TEST(Plan, CountsAnExpertThatNobodyChose) {
  const auto expert = integers({2, 2}, {2, 1});
  const auto plan = make_plan(expert, all_kept(expert), place_in_blocks(4, 2));
  EXPECT_THAT(plan.send_rows, ElementsAre(0, 0, 2, 0));
}

TEST(Plan, OrdersThePairsOfTwoChoices) {
  const auto expert = integers({0, 1, 1, 0}, {2, 2});
  const auto plan = make_plan(expert, all_kept(expert), place_in_blocks(2, 2));
  EXPECT_THAT(listed(plan.order), ElementsAre(0, 3, 1, 2));  // pair = token * 2 + choice
  EXPECT_THAT(listed(plan.tokens()), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(plan.position.sizes(), ElementsAre(2, 2));
}

TEST(Plan, HasNoRowsWithoutTokens) {
  const auto expert = integers({}, {0, 1});
  const auto plan = make_plan(expert, all_kept(expert), place_in_blocks(2, 2));
  EXPECT_EQ(plan.rows(), 0);
  EXPECT_THAT(plan.send_rows, ElementsAre(0, 0));
}

TEST(Plan, HasNoRowsWhereAllAreDropped) {
  const auto expert = integers({0, 1}, {2, 1});
  const Kept kept{.mask = flags({0, 0}, {2, 1}), .counts = {}};
  const auto plan = make_plan(expert, kept, place_in_blocks(2, 1));
  EXPECT_EQ(plan.rows(), 0);
  EXPECT_THAT(listed(plan.position), ElementsAre(0, 0));
}

TEST(Plan, AddsUpItsRows) {
  const auto expert = integers({3, 2, 1, 0, 3}, {5, 1});
  Plan plan{make_plan(expert, all_kept(expert), place_in_blocks(4, 2)), {}};
  plan.receive_rows = {1, 2, 3, 4};
  EXPECT_THAT(plan.rows_to_ranks(), ElementsAre(2, 3));
  EXPECT_THAT(plan.rows_from_ranks(), ElementsAre(3, 7));
  EXPECT_THAT(plan.rows_of_experts(), ElementsAre(4, 6));
  EXPECT_EQ(plan.received(), 10);
}

TEST(Plan, RefusesAnExpertOutsideThePlacement) {
  const auto expert = integers({0, 2}, {2, 1});
  EXPECT_THROW(make_plan(expert, all_kept(expert), place_in_blocks(2, 1)), InputError);
}

}  // namespace
}  // namespace duet
