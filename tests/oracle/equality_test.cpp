// Every layout against the oracle: forward, loss, aux, every gradient, parameters after 20 steps.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/oracle/product.h"

namespace duet::test {
namespace {

constexpr double tolerance = 1e-12;
constexpr std::int64_t steps = 20;

// max|a - b| / max|b|, as the design judges; 0 when both are all zeros.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double apart = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return INFINITY;
    apart = std::max(apart, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return apart == 0 ? 0 : apart / largest;
}

void expect_equal(const reference::Parameters& product, const reference::Parameters& oracle, const std::string& what) {
  ASSERT_EQ(product.size(), oracle.size()) << what;
  for (const auto& [name, values] : oracle) {
    ASSERT_TRUE(product.contains(name)) << what << " of " << name;
    EXPECT_LE(difference(product.at(name), values), tolerance) << what << " of " << name;
  }
}

double sum(const std::vector<double>& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

void expect_equal(const ProductStep& product, const reference::Result& oracle) {
  EXPECT_EQ(product.expert, oracle.expert);
  EXPECT_EQ(product.kept, oracle.kept);
  EXPECT_LE(difference(product.out, oracle.out), tolerance) << "output";
  EXPECT_LE(difference({sum(product.losses)}, {oracle.mse}), tolerance) << "loss";
  EXPECT_LE(difference({sum(product.auxes)}, {oracle.aux}), tolerance) << "aux";
  expect_equal(product.gradients, oracle.gradients, "gradient");
}

struct Case {
  int dp = 1, ep = 1;
  std::int64_t experts = 2, top_k = 1;
  std::string capacity = "none";
  AuxTerm aux;
  std::string pattern = "even";
  bool renormalize = false;
};

std::vector<std::int64_t> tokens_of(const std::string& pattern, int shards) {
  std::vector<std::int64_t> tokens;
  for (int shard = 0; shard < shards; ++shard) {
    if (pattern == "even") tokens.push_back(9);
    if (pattern == "uneven") tokens.push_back(5 + 4 * shard);
    if (pattern == "zero_on_a_rank") tokens.push_back(shard == 0 ? 0 : 9);
    if (pattern == "zero") tokens.push_back(0);
  }
  return tokens;
}

RunConfig config_of(const Case& one) {
  RunConfig config;
  config.model = {.dim = 6,
                  .hidden = 5,
                  .experts = one.experts,
                  .top_k = one.top_k,
                  .renormalize = one.renormalize,
                  .capacity_factor = one.capacity,
                  .aux = one.aux};
  config.layout = {.ranks = one.dp * one.ep, .dp = one.dp, .ep = one.ep};
  config.data.shards = one.dp * one.ep == 1 ? 3 : 0;  // one device holds several shards
  config.data.tokens = tokens_of(one.pattern, config.data.shards == 0 ? config.layout.ranks : config.data.shards);
  config.steps = steps;
  config.float64 = true;
  return config;
}

std::string describe(const Case& one) {
  return fmt::format("dp {} ep {} experts {} top-{} capacity {} aux {} tokens {}{}", one.dp, one.ep, one.experts,
                     one.top_k, one.capacity, name(one.aux.kind), one.pattern, one.renormalize ? " renormalized" : "");
}

// Runs both and compares every step; the oracle steps on with its own parameters.
void compare(const Case& one) {
  SCOPED_TRACE(describe(one));
  const auto config = config_of(one);
  const auto product = run_product(config);
  EXPECT_EQ(product.differs, "") << "two ranks hold it unlike";
  auto parameters = initial_parameters(config);
  reference::Adam adam(config.optimizer.lr);
  for (std::int64_t step = 0; step < steps; ++step) {
    SCOPED_TRACE(fmt::format("step {}", step));
    const auto oracle = reference::forward_backward(parameters, global_batch(config, step), rules_of(config));
    ASSERT_GT(oracle.smallest_margin, 1e-9) << "a near-tie, which rounding may decide; choose another seed";
    const auto& ours = product.steps[static_cast<std::size_t>(step)];
    expect_equal(ours, oracle);
    if (takes_input_gradient(step)) {
      EXPECT_LE(difference(ours.input_gradient, oracle.input_gradient), tolerance) << "gradient of the input";
    }
    if (testing::Test::HasFailure()) return;
    adam.step(parameters, oracle.gradients);
  }
  expect_equal(product.parameters, parameters, "parameters after 20 steps");
}

using Mesh = std::pair<int, int>;

class Equality : public testing::TestWithParam<Mesh> {};
INSTANTIATE_TEST_SUITE_P(Meshes, Equality,
                         testing::Values(Mesh{1, 1}, Mesh{1, 2}, Mesh{2, 1}, Mesh{1, 3}, Mesh{3, 1}, Mesh{1, 4},
                                         Mesh{2, 2}, Mesh{4, 1}),
                         [](const auto& mesh) { return fmt::format("dp{}ep{}", mesh.param.first, mesh.param.second); });

std::vector<std::int64_t> experts_for(int ep) {
  std::vector<std::int64_t> experts;
  for (const std::int64_t e : {1, 2, 4, 6, 8}) {
    if (e % ep == 0 && (e != 6 || ep == 3)) experts.push_back(e);
  }
  if (ep == 3) experts.push_back(3);
  return experts;
}

TEST_P(Equality, HoldsForEveryNumberOfExpertsChoicesCapacityAndShards) {
  const std::vector<AuxTerm> kinds{{AuxKind::std, 0.01}, {AuxKind::cv, 0.02}, {AuxKind::switch_, 0.03}, {}};
  std::size_t next = 0;
  const auto [dp, ep] = GetParam();
  for (const auto experts : experts_for(ep)) {
    for (const std::int64_t k : {1, 2}) {
      if (k > experts) continue;
      for (const auto* capacity : {"none", "1.0", "1.25"}) {
        for (const auto* pattern : {"even", "uneven", "zero_on_a_rank", "zero"}) {
          compare({dp, ep, experts, k, capacity, kinds[next++ % kinds.size()], pattern, false});
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(Equality, HoldsForEveryAuxiliaryLossAndRenormalisedGates) {
  const auto [dp, ep] = GetParam();
  for (const AuxTerm aux : {AuxTerm{AuxKind::std, 0.1}, AuxTerm{AuxKind::cv, 0.1}, AuxTerm{AuxKind::switch_, 0.1}}) {
    compare({dp, ep, 2L * ep, 2, "1.0", aux, "uneven", true});
    if (HasFailure()) return;
  }
}

RunConfig mixed_run(const Mesh& mesh) {
  return config_of({mesh.first, mesh.second, 2L * mesh.second, 2, "1.0", {AuxKind::std, 0.01}, "uneven", false});
}

TEST_P(Equality, GivesTheSameBitsTwice) {
  for (const bool float64 : {true, false}) {
    auto config = mixed_run(GetParam());
    config.float64 = float64;
    EXPECT_TRUE(run_product(config) == run_product(config)) << (float64 ? "float64" : "float32");
  }
}

// A coarse bound: it finds a float32 path that computes something else, not rounding.
TEST_P(Equality, HoldsInFloat32ToItsPrecision) {
  constexpr double coarse = 1e-4;
  auto config = mixed_run(GetParam());
  config.float64 = false;
  config.steps = 1;
  const auto product = run_product(config).steps.front();
  const auto oracle =
      reference::forward_backward(initial_parameters(config), global_batch(config, 0), rules_of(config));
  ASSERT_GT(oracle.smallest_margin, 1e-5);
  EXPECT_EQ(product.expert, oracle.expert);
  EXPECT_EQ(product.kept, oracle.kept);
  EXPECT_LE(difference(product.out, oracle.out), coarse);
  EXPECT_LE(difference({sum(product.losses)}, {oracle.mse}), coarse);
  EXPECT_LE(difference(product.input_gradient, oracle.input_gradient), coarse);
  for (const auto& [name, values] : oracle.gradients) {
    EXPECT_LE(difference(product.gradients.at(name), values), coarse) << name;
  }
}

}  // namespace
}  // namespace duet::test
