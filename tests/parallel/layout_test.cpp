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
using ::testing::IsEmpty;
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
  EXPECT_THAT(range.rank_tokens, ElementsAre(5, 16));
  EXPECT_THROW(shards_of(0, 2, {}), InputError);
}

TEST(Shards, LeaveNoneOutWhenTheRanksDoNotDivideThem) {
  EXPECT_THAT(shards_of(0, 2, {1, 2, 3}).tokens, ElementsAre(1));
  EXPECT_THAT(shards_of(1, 2, {1, 2, 3}).tokens, ElementsAre(2, 3));
  EXPECT_THAT(shards_of(0, 4, {5, 6}).tokens, IsEmpty());
  EXPECT_THAT(shards_of(1, 4, {5, 6}).tokens, ElementsAre(5));
  EXPECT_THAT(shards_of(1, 4, {5, 6}).rank_tokens, ElementsAre(0, 5, 0, 6));
}

TEST(Shards, AreCutIntoMicroBatchesOfTheSameTokensOnEveryLayout) {
  const std::vector<std::int64_t> all{1, 2, 3, 4, 5, 6};
  const auto second = micro_batch_of(/*rank=*/1, /*world=*/2, all, /*part=*/1, /*parts=*/2);
  EXPECT_THAT(second.tokens, ElementsAre(5, 6)) << "of the second half, 4, 5, 6";
  EXPECT_EQ(second.first_token, 10);
  EXPECT_EQ(second.global_tokens, 21) << "of the whole batch";
  EXPECT_THAT(second.rank_tokens, ElementsAre(4, 11));
  EXPECT_THAT(micro_batch_of(0, 1, all, 1, 2).tokens, ElementsAre(4, 5, 6));
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

// Experts are apart over ep and repeated over dp; each counts once.
TEST(GradientNorm, CountsEveryExpertOnceOnEveryLayout) {
  comm::run_ranks(4, {}, [](comm::Communicator& world) {
    const auto groups = split_mesh(world, {.dp = 2, .ep = 2}, nullptr);
    const auto router = at::full({1}, 2, at::kDouble);
    const auto experts = at::full({1}, 3 + world.rank() % 2, at::kDouble);
    EXPECT_DOUBLE_EQ(gradient_norm(*groups.ep, router, experts), std::sqrt(4.0 + 9 + 16));
    const auto alone = split_mesh(world, {.dp = 4, .ep = 1}, nullptr);
    const auto all = at::arange(2, 5, at::kDouble);
    EXPECT_DOUBLE_EQ(gradient_norm(*alone.ep, all, at::empty({0}, at::kDouble)), std::sqrt(4.0 + 9 + 16));
  });
}

TEST(GradientNorm, IsClippedToItsLimitAndOtherwiseLeftAlone) {
  const auto gradients = at::full({4}, 3, at::kDouble);  // norm 6
  EXPECT_EQ(clip_gradients(gradients, 6, 10), 1);
  EXPECT_EQ(gradients[0].item<double>(), 3);
  EXPECT_NEAR(clip_gradients(gradients, 6, 2), 1 / 3.0, 1e-6);
  EXPECT_NEAR(gradients[0].item<double>(), 1, 1e-6);
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
