#include "train/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/keyed_random.h"
#include "train/model.h"
#include "train/ranks.h"

namespace duet {
namespace {

ShardRange range(std::int64_t first, std::int64_t tokens) {
  return {.tokens = {tokens}, .first_token = first, .global_tokens = 100, .global_shards = 1, .rank_tokens = {}};
}

TEST(Dataset, DrawsTheSameTokenWhereverItIsDrawn) {
  for (const auto dataset : {Dataset::two_functions, Dataset::random}) {
    const DataSource data({.dataset = dataset}, 8, at::kDouble);
    const auto whole = data.batch(3, range(0, 100));
    const auto part = data.batch(3, range(40, 25));
    EXPECT_TRUE(part.x.equal(whole.x.narrow(0, 40, 25)));
    EXPECT_TRUE(part.target.equal(whole.target.narrow(0, 40, 25)));
    EXPECT_TRUE(part.kind.equal(whole.kind.narrow(0, 40, 25)));
  }
}

TEST(Dataset, DrawsOtherTokensInOtherStepsAndSeeds) {
  const DataSource data({.seed = 1}, 8, at::kDouble), other({.seed = 2}, 8, at::kDouble);
  EXPECT_FALSE(data.batch(0, range(0, 10)).x.equal(data.batch(1, range(0, 10)).x));
  EXPECT_FALSE(data.batch(0, range(0, 10)).x.equal(other.batch(0, range(0, 10)).x));
}

TEST(Dataset, TwoFunctionsAreTwoClustersOfMeanThree) {
  const auto batch = DataSource({.seed = 5}, 16, at::kDouble).batch(0, range(0, 4000));
  for (const std::int64_t kind : {0, 1}) {
    const auto rows = batch.x.index_select(0, batch.kind.eq(kind).nonzero().view(-1));
    EXPECT_NEAR(static_cast<double>(rows.size(0)), 2000, 150);
    EXPECT_NEAR(rows.mean(0).abs().mean().item<double>(), 3, 0.1);
    EXPECT_NEAR(rows.std(0).mean().item<double>(), 1, 0.05);
  }
}

TEST(Dataset, OfNoTokensIsEmpty) {
  const auto batch = DataSource({}, 8, at::kFloat).batch(0, range(0, 0));
  EXPECT_EQ(batch.x.sizes(), at::IntArrayRef({0, 8}));
}

TEST(KeyedRandom, GivesAKeyTheSameNumbersAndOthersOthers) {
  std::vector<double> a(10), b(10);
  fill_normal(random_key(1, "expert.0.w1"), 0, a);
  fill_normal(random_key(1, "expert.0.w1"), 0, b);
  EXPECT_EQ(a, b);
  for (const auto key : {random_key(2, "expert.0.w1"), random_key(1, "expert.1.w1"), random_key(1, "tokens")}) {
    fill_normal(key, 0, b);
    EXPECT_NE(a, b);
  }
  fill_normal(random_key(1, "expert.0.w1"), 1, b);
  EXPECT_NE(a, b) << "another index of the stream";
}

TEST(KeyedRandom, IsNormalAndUniform) {
  std::vector<double> values(100'000);
  const auto tensor = at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kDouble);
  fill_normal(7, 0, values);
  EXPECT_NEAR(tensor.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(tensor.std().item<double>(), 1, 0.02);
  fill_uniform(7, 0, -0.5, 0.25, values);
  EXPECT_GE(tensor.min().item<double>(), -0.5);
  EXPECT_LT(tensor.max().item<double>(), 0.25);
  EXPECT_NEAR(tensor.mean().item<double>(), -0.125, 0.01);
}

TEST(Model, IsTheSameOnEveryLayoutAndNoTwoExpertsAreAlike) {
  RunConfig config;
  config.model.experts = 4;
  config.layout.ranks = 2;
  const auto whole = make_model(config.model, 1, layout_of(config, Mode::single), 0, at::kDouble);
  std::map<std::string, at::Tensor> by_name;
  for (const auto& parameter : whole.parameters) by_name[parameter.name] = parameter.tensor;
  for (int rank = 0; rank < 2; ++rank) {
    const auto part = make_model(config.model, 1, layout_of(config, Mode::ep), rank, at::kDouble);
    EXPECT_EQ(part.parameters.size(), 2 + 4 * 2U);
    for (const auto& parameter : part.parameters) EXPECT_TRUE(parameter.tensor.equal(by_name.at(parameter.name)));
  }
  EXPECT_FALSE(by_name["layer.0.expert.0.w1"].equal(by_name["layer.0.expert.1.w1"]));
}

TEST(Model, ParametersAndGradientsAreViewsOfOneFlatTensorEach) {
  RunConfig config;
  const auto model = make_model(config.model, 1, layout_of(config, Mode::ep), 0, at::kFloat);
  std::int64_t numel = 0;
  for (const auto& parameter : model.parameters) {
    numel += parameter.tensor.numel();
    EXPECT_TRUE(parameter.tensor.is_alias_of(model.values));
    EXPECT_TRUE(parameter.tensor.grad().is_alias_of(model.gradients));
  }
  EXPECT_EQ(numel, model.values.numel());
  EXPECT_EQ(model.replicated, 2 * 32 + 2);
}

}  // namespace
}  // namespace duet
