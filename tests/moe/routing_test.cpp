// Router, top-k, capacity and its rule, placement, names of auxiliary losses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "moe/aux_kind.h"
#include "moe/capacity.h"
#include "moe/placement.h"
#include "moe/router.h"
#include "moe/top_k.h"
#include "tests/moe/tensors.h"

namespace duet {
namespace {

using test::doubles;
using test::integers;
using test::listed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Router, ScoresByALinearLayerAndSoftmaxOverExperts) {
  const RouterWeights weights{.weight = doubles({1, 0, 0, 2}, {2, 2}), .bias = doubles({0.5, 0}, {2})};
  const auto routing = route(doubles({1, 1, 0, 0}, {2, 2}), weights);
  EXPECT_THAT(listed<double>(routing.logits), ElementsAre(1.5, 2, 0.5, 0));
  EXPECT_NEAR(routing.probs[0][1].item<double>(), 1 / (1 + std::exp(-0.5)), 1e-15);
  EXPECT_NEAR(routing.probs.sum(1)[1].item<double>(), 1, 1e-15) << "over the experts of a token, not over tokens";
  EXPECT_THAT(listed<std::int64_t>(routing.expert), ElementsAre(1, 0));
  EXPECT_EQ(routing.gate[0][0].item<double>(), routing.probs[0][1].item<double>()) << "the probability, not 1";
}

TEST(Router, RoutesNoTokens) {
  const auto routing = route(at::empty({0, 2}, at::kDouble), {doubles({1, 0, 0, 2}, {2, 2}), doubles({0, 0}, {2})});
  EXPECT_EQ(routing.expert.sizes(), at::IntArrayRef({0, 1}));
}

TEST(TopK, GivesTiesToTheLowestExpert) {
  const auto probs = doubles({0.25, 0.25, 0.25, 0.25, 0.1, 0.4, 0.1, 0.4}, {2, 4});
  EXPECT_THAT(listed<std::int64_t>(choose_top_k(probs, 1, false).expert), ElementsAre(0, 1));
  EXPECT_THAT(listed<std::int64_t>(choose_top_k(probs, 2, false).expert), ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(listed<std::int64_t>(choose_top_k(probs, 4, false).expert), ElementsAre(0, 1, 2, 3, 1, 3, 0, 2));
}

TEST(TopK, RenormalisesOverTheChosen) {
  const auto choice = choose_top_k(doubles({0.5, 0.3, 0.2}, {1, 3}), 2, true);
  EXPECT_NEAR(choice.gate[0][0].item<double>(), 0.5 / 0.8, 1e-15);
  EXPECT_NEAR(choice.gate[0][1].item<double>(), 0.3 / 0.8, 1e-15);
}

TEST(TopK, RefusesAGateOfOneAndMoreChoicesThanExperts) {
  const auto probs = doubles({0.5, 0.5}, {1, 2});
  EXPECT_THAT([&] { choose_top_k(probs, 1, true); }, ThrowsMessage<InputError>(HasSubstr("never learns")));
  EXPECT_THAT([&] { choose_top_k(probs, 3, false); }, ThrowsMessage<InputError>(HasSubstr("top-k is 3")));
  EXPECT_THAT([&] { choose_top_k(probs, 0, false); }, ThrowsMessage<InputError>(HasSubstr("top-k is 0")));
}

Routing wanting(const at::Tensor& expert, std::int64_t experts) {
  return {at::zeros({expert.size(0), experts}), at::zeros({expert.size(0), experts}), expert,
          at::ones_like(expert, at::kDouble)};
}

TEST(Capacity, KeepsTheFirstPairsOfAnExpertAndCountsAll) {
  const auto kept = apply_capacity(wanting(integers({0, 0, 0, 1}, {4, 1}), 2), {Fraction{1, 1}});
  EXPECT_THAT(listed<bool>(kept.mask), ElementsAre(true, true, false, true));
  EXPECT_THAT(listed<std::int64_t>(kept.counts), ElementsAre(3, 1));
}

TEST(Capacity, DropsPairsNotTokensAndTakesThemTokenByToken) {
  // Two choices each; one place an expert: ceil(0.5 * 2 * 2 / 2).
  const auto kept = apply_capacity(wanting(integers({0, 1, 1, 0}, {2, 2}), 2), {Fraction{1, 2}});
  EXPECT_THAT(listed<bool>(kept.mask), ElementsAre(true, true, false, false));
}

TEST(Capacity, CountsAnExpertThatNobodyWants) {
  EXPECT_THAT(listed<std::int64_t>(apply_capacity(wanting(integers({2, 0}, {2, 1}), 3), {}).counts),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(listed<std::int64_t>(apply_capacity(wanting(at::empty({0, 1}, at::kLong), 2), {Fraction{1, 1}}).counts),
              ElementsAre(0, 0));
}

std::int64_t limit(const std::string& factor, std::int64_t tokens, std::int64_t experts, std::int64_t top_k = 1) {
  return CapacityRule{parse_capacity_factor(factor)}.limit(tokens, experts, top_k).value();
}

TEST(CapacityRule, RoundsUpExactlyFromTheDecimalText) {
  EXPECT_EQ(limit("1.1", 100, 2), 55) << "the double 1.1 would give 56";
  EXPECT_EQ(limit("1.25", 7, 2), 5);
  EXPECT_EQ(limit("1", 7, 2), 4);
  EXPECT_EQ(limit("0.5", 10, 2, 2), 5);
  EXPECT_EQ(limit("1.0", 0, 2), 0);
  EXPECT_EQ(limit("999999999", 1'000'000, 1), 999'999'999'000'000);
  EXPECT_FALSE(CapacityRule{parse_capacity_factor("none")}.limit(10, 2, 1).has_value());
}

TEST(CapacityRule, RefusesWhatIsNoFactor) {
  for (const auto* text : {"", "much", "-1", "1e5", "1.2.3", ".", "1234567890", "1,25", " 1"}) {
    EXPECT_THROW(parse_capacity_factor(text), InputError) << text;
  }
}

TEST(Placement, PutsExpertsInEqualBlocks) {
  const auto placement = place_in_blocks(6, 3);
  EXPECT_EQ(placement.per_rank(), 2);
  EXPECT_EQ(placement.first_on(2), 4);
  EXPECT_THAT([] { place_in_blocks(6, 4); }, ThrowsMessage<InputError>(HasSubstr("6 experts")));
}

TEST(AuxKind, ReadsKindAndWeightAndNamesTheNearest) {
  EXPECT_EQ(parse_aux("std=0.001").kind, AuxKind::std);
  EXPECT_EQ(parse_aux("switch=0.5").weight, 0.5);
  EXPECT_EQ(parse_aux("none").kind, AuxKind::none);
  EXPECT_THAT([] { parse_aux("swich=1"); }, ThrowsMessage<InputError>(HasSubstr("did you mean switch?")));
  for (const auto* text : {"std", "std=", "std=x", "std=-1", "std=inf", "none=1", ""}) {
    EXPECT_THROW(parse_aux(text), InputError) << text;
  }
}

}  // namespace
}  // namespace duet
