// Router, top-k, capacity and its rule, placement, names of auxiliary losses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "moe/aux_kind.h"
#include "moe/capacity.h"
#include "moe/choice_bias.h"
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
  EXPECT_THAT(listed<std::int64_t>(choose_top_k(probs, {.k = 1}).expert), ElementsAre(0, 1));
  EXPECT_THAT(listed<std::int64_t>(choose_top_k(probs, {.k = 2}).expert), ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(listed<std::int64_t>(choose_top_k(probs, {.k = 4}).expert), ElementsAre(0, 1, 2, 3, 1, 3, 0, 2));
}

TEST(TopK, RenormalisesOverTheChosen) {
  const auto choice = choose_top_k(doubles({0.5, 0.3, 0.2}, {1, 3}), {.k = 2, .renormalize = true});
  EXPECT_NEAR(choice.gate[0][0].item<double>(), 0.5 / 0.8, 1e-15);
  EXPECT_NEAR(choice.gate[0][1].item<double>(), 0.3 / 0.8, 1e-15);
}

TEST(TopK, ChoosesWithTheBiasAndWeighsWithout) {
  const TopKRule rule{.k = 1, .bias = doubles({0, 0.3, 0}, {3})};
  const auto choice = choose_top_k(doubles({0.5, 0.3, 0.2}, {1, 3}), rule);
  EXPECT_EQ(choice.expert.item<std::int64_t>(), 1);
  EXPECT_EQ(choice.gate.item<double>(), 0.3);
}

TEST(ChoiceBias, RisesBelowTheMeanAndFallsAbove) {
  const auto bias = at::zeros({3}, at::kDouble);
  move_choice_bias(bias, integers({5, 3, 1}, {3}), 0.25);
  EXPECT_THAT(listed<double>(bias), ElementsAre(-0.25, 0, 0.25));
}

TEST(TopK, RefusesAGateOfOneAndMoreChoicesThanExperts) {
  const auto probs = doubles({0.5, 0.5}, {1, 2});
  EXPECT_THAT([&] { choose_top_k(probs, {.k = 1, .renormalize = true}); },
              ThrowsMessage<InputError>(HasSubstr("never learns")));
  EXPECT_THAT([&] { choose_top_k(probs, {.k = 3}); }, ThrowsMessage<InputError>(HasSubstr("top-k is 3")));
  EXPECT_THAT([&] { choose_top_k(probs, {.k = 0}); }, ThrowsMessage<InputError>(HasSubstr("top-k is 0")));
}

Routing wanting(const at::Tensor& expert, std::int64_t experts) {
  return {at::zeros({expert.size(0), experts}), at::zeros({expert.size(0), experts}), expert,
          at::ones_like(expert, at::kDouble)};
}

TEST(Capacity, KeepsTheFirstPairsOfAnExpertAndCountsAll) {
  const auto kept = apply_capacity(wanting(integers({0, 0, 0, 1}, {4, 1}), 2), {.factor = Fraction{1, 1}});
  EXPECT_THAT(listed<bool>(kept.mask), ElementsAre(true, true, false, true));
  EXPECT_THAT(listed<std::int64_t>(kept.counts), ElementsAre(3, 1));
}

TEST(Capacity, DropsPairsNotTokensAndTakesThemTokenByToken) {
  // Two choices each; one place an expert: ceil(0.5 * 2 * 2 / 2).
  const auto kept = apply_capacity(wanting(integers({0, 1, 1, 0}, {2, 2}), 2), {.factor = Fraction{1, 2}});
  EXPECT_THAT(listed<bool>(kept.mask), ElementsAre(true, true, false, false));
}

TEST(Capacity, CountsAnExpertThatNobodyWants) {
  EXPECT_THAT(listed<std::int64_t>(apply_capacity(wanting(integers({2, 0}, {2, 1}), 3), {}).counts),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(
      listed<std::int64_t>(apply_capacity(wanting(at::empty({0, 1}, at::kLong), 2), {.factor = Fraction{1, 1}}).counts),
      ElementsAre(0, 0));
}

Routing gated(const at::Tensor& expert, const at::Tensor& gate, std::int64_t experts) {
  auto routing = wanting(expert, experts);
  routing.gate = gate;
  return routing;
}

TEST(Capacity, KeepsTheHighestGatesAndOfEqualOnesTheFirst) {
  const auto routing = gated(integers({0, 0, 0, 0}, {4, 1}), doubles({0.6, 0.9, 0.6, 0.7}, {4, 1}), 2);
  const auto kept = apply_capacity(routing, {.factor = Fraction{3, 2}, .drop = DropPolicy::probability});
  EXPECT_THAT(listed<bool>(kept.mask), ElementsAre(true, true, false, true));
}

TEST(Capacity, KeepsTheLowestDraws) {
  auto routing = wanting(integers({0, 0, 0, 0}, {4, 1}), 2);
  routing.draw = doubles({0.6, 0.9, 0.1, 0.2}, {4, 1});
  const auto kept = apply_capacity(routing, {.factor = Fraction{1, 1}, .drop = DropPolicy::random});
  EXPECT_THAT(listed<bool>(kept.mask), ElementsAre(false, false, true, true));
  routing.draw = at::Tensor();
  EXPECT_THROW(apply_capacity(routing, {.factor = Fraction{1, 1}, .drop = DropPolicy::random}), InputError);
}

TEST(Capacity, GivesSlotsToAllFirstChoicesBeforeAnySecondOne) {
  const auto routing = wanting(integers({1, 0, 0, 1}, {2, 2}), 2);  // token 0 wants 1 then 0, token 1 wants 0 then 1
  const CapacityRule by_choice{.factor = Fraction{1, 2}, .slot_order = SlotOrder::choice};
  EXPECT_THAT(listed<bool>(apply_capacity(routing, by_choice).mask), ElementsAre(true, false, true, false));
  const CapacityRule by_token{.factor = Fraction{1, 2}};
  EXPECT_THAT(listed<bool>(apply_capacity(routing, by_token).mask), ElementsAre(true, true, false, false));
}

TEST(Capacity, OfTheBatchCountsThePairsOfEarlierRanks) {
  const GlobalView view{.routing = wanting(integers({0, 0, 0, 1}, {4, 1}), 2), .first_token = 2};
  const auto mine = wanting(integers({0, 1}, {2, 1}), 2);
  const auto kept = apply_capacity(mine, {.factor = Fraction{1, 1}, .scope = Scope::global}, &view);
  EXPECT_THAT(listed<bool>(kept.mask), ElementsAre(false, true)) << "rank 0 took both places of expert 0";
  EXPECT_THAT(listed<std::int64_t>(kept.counts), ElementsAre(1, 1)) << "its own pairs only";
}

std::int64_t limit(const std::string& factor, std::int64_t tokens, std::int64_t experts, std::int64_t top_k = 1) {
  return CapacityRule{.factor = parse_capacity_factor(factor)}.limit(tokens, experts, top_k).value();
}

TEST(CapacityRule, RoundsUpExactlyFromTheDecimalText) {
  EXPECT_EQ(limit("1.1", 100, 2), 55) << "the double 1.1 would give 56";
  EXPECT_EQ(limit("1.25", 7, 2), 5);
  EXPECT_EQ(limit("1", 7, 2), 4);
  EXPECT_EQ(limit("0.5", 10, 2, 2), 5);
  EXPECT_EQ(limit("1.0", 0, 2), 0);
  EXPECT_EQ(limit("999999999", 1'000'000, 1), 999'999'999'000'000);
  EXPECT_EQ((CapacityRule{.factor = Fraction{1, 1}, .minimum = 4}.limit(2, 2, 1)), 4);
  EXPECT_FALSE(CapacityRule{.factor = parse_capacity_factor("none")}.limit(10, 2, 1).has_value());
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
  EXPECT_EQ(parse_aux("std=0.001").at(0).kind, AuxKind::std);
  EXPECT_EQ(parse_aux("switch=0.5").at(0).weight, 0.5);
  EXPECT_TRUE(parse_aux("none").empty());
  EXPECT_EQ(aux_text(parse_aux("std=0.001,z=0.25")), "std=0.001,z=0.25");
  EXPECT_THAT([] { parse_aux("bias=1"); }, ThrowsMessage<InputError>(HasSubstr("--bias-rate")));
  EXPECT_THAT([] { parse_aux("z=1,z=2"); }, ThrowsMessage<InputError>(HasSubstr("twice")));
  EXPECT_THAT([] { parse_aux("swich=1"); }, ThrowsMessage<InputError>(HasSubstr("did you mean switch?")));
  for (const auto* text :
       {"std", "std=", "std=x", "std=-1", "std=inf", "none=1", "", "std=1,", ",std=1", "std=1,none"}) {
    EXPECT_THROW(parse_aux(text), InputError) << text;
  }
}

}  // namespace
}  // namespace duet
