#include "parallel/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "parallel/data_parallel.h"
#include "parallel/expert_parallel.h"
#include "parallel/gradient_sync.h"
#include "parallel/shard.h"
#include "tests/comm/transports.h"

namespace duet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Mesh, IsExpertParallelUnlessToldOtherwise) {
  EXPECT_EQ(make_mesh(4, 0, 0).ep, 4);
  EXPECT_EQ(make_mesh(4, 2, 0).ep, 2);
  EXPECT_EQ(make_mesh(4, 0, 1).dp, 4);
  EXPECT_THAT([] { make_mesh(4, 3, 0); }, ThrowsMessage<InputError>(HasSubstr("4 ranks")));
  EXPECT_THAT([] { make_mesh(4, 2, 4); }, ThrowsMessage<InputError>(HasSubstr("dp 2 x ep 4")));
}

TEST(Mesh, GroupsNeighboursThatShareExpertsAndStridesThatRepeatThem) {
  comm::run_ranks(4, {}, [](comm::Communicator& world) {
    const auto groups = split_mesh(world, {.dp = 2, .ep = 2}, nullptr);
    EXPECT_EQ(groups.ep->size(), 2);
    EXPECT_EQ(groups.ep->rank(), world.rank() % 2);
    EXPECT_EQ(groups.dp->rank(), world.rank() / 2);
    EXPECT_EQ(groups.world->rank(), world.rank());
  });
}

TEST(Layout, HoldsAllExpertsInDataParallelismAndAShareInExpertParallelism) {
  EXPECT_EQ(data_parallel(2, 6).placement.per_rank(), 6);
  EXPECT_TRUE(data_parallel(2, 6).all_replicated());
  EXPECT_EQ(expert_parallel(2, 6).placement.per_rank(), 3);
  EXPECT_THAT([] { expert_parallel(4, 6); }, ThrowsMessage<InputError>(HasSubstr("6 experts")));
}

TEST(Shards, GiveARankNeighbouringOnes) {
  const auto range = shards_of(1, 2, {5, 0, 7, 9});
  EXPECT_THAT(range.tokens, ElementsAre(7, 9));
  EXPECT_EQ(range.first_token, 5);
  EXPECT_EQ(range.local_tokens(), 16);
  EXPECT_EQ(range.global_tokens, 21);
  EXPECT_EQ(range.global_shards, 4);
  EXPECT_THAT([] { shards_of(0, 2, {1, 2, 3}); }, ThrowsMessage<InputError>(HasSubstr("3 shards")));
}

// Each rank's gradient is 10^rank, so that the digits say whose were summed.
TEST(GradientSync, DividesByTheWholeWorldAndSumsExpertsOverTheirOwnRanksOnly) {
  comm::run_ranks(4, {}, [](comm::Communicator& world) {
    const auto groups = split_mesh(world, {.dp = 2, .ep = 2}, nullptr);
    const auto replicated = at::full({3}, std::pow(10.0, world.rank()), at::kDouble);
    const auto experts = replicated.clone();
    sync_gradients(*groups.world, *groups.dp, replicated, experts);
    EXPECT_DOUBLE_EQ(replicated[0].item<double>(), 1111 / 4.0);
    EXPECT_DOUBLE_EQ(experts[0].item<double>(), (world.rank() % 2 == 0 ? 101 : 1010) / 4.0);
  });
}

TEST(GradientSync, SendsNothingForWhatARankDoesNotHave) {
  comm::run_ranks(2, {}, [](comm::Communicator& world) {
    trace::Recorder recorder;
    const auto groups = split_mesh(world, {.dp = 2, .ep = 1}, &recorder);
    sync_gradients(*groups.world, *groups.dp, at::ones({4}, at::kDouble), at::empty({0}, at::kDouble));
    EXPECT_EQ(recorder.events().size(), 1U);
  });
}

}  // namespace
}  // namespace duet
