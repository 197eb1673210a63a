// Every layout against the oracle: forward, loss, aux, every gradient, parameters after 20 steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "tests/comm/transports.h"
#include "tests/oracle/agreement.h"

namespace duet::test {
namespace {

constexpr std::int64_t steps = 20;

struct Case {
  int dp = 1, ep = 1;
  std::int64_t experts = 2, top_k = 1;
  std::string capacity = "none";
  std::optional<AuxTerm> aux;
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
                  .aux = {}};
  if (one.aux) config.model.aux.push_back(*one.aux);
  config.layout = {.ranks = one.dp * one.ep, .dp = one.dp, .ep = one.ep};
  config.data.shards = one.dp * one.ep == 1 ? 3 : 0;  // one device holds several shards
  config.data.tokens = tokens_of(one.pattern, config.data.shards == 0 ? config.layout.ranks : config.data.shards);
  config.steps = steps;
  config.float64 = true;
  return config;
}

void compare(const Case& one) { expect_agreement(config_of(one)); }

using Mesh = std::pair<int, int>;

// In an MPI job those of all its processes.
std::vector<Mesh> meshes() {
  std::vector<Mesh> all{{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {1, 4}, {2, 2}, {4, 1}};
  const int only = comm::transports().front().only_world_size;
  std::erase_if(all, [only](const Mesh& mesh) { return only != 0 && mesh.first * mesh.second != only; });
  return all;
}

class Equality : public testing::TestWithParam<Mesh> {};
INSTANTIATE_TEST_SUITE_P(Meshes, Equality, testing::ValuesIn(meshes()),
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
  const std::vector<std::optional<AuxTerm>> kinds{AuxTerm{AuxKind::std, 0.01}, AuxTerm{AuxKind::cv, 0.02},
                                                  AuxTerm{AuxKind::switch_, 0.03}, std::nullopt};
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
  return config_of({mesh.first, mesh.second, 2L * mesh.second, 2, "1.0", AuxTerm{AuxKind::std, 0.01}, "uneven", false});
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
  EXPECT_EQ(product.expert.front(), oracle.layers.front().expert);
  EXPECT_EQ(product.kept.front(), oracle.layers.front().kept);
  EXPECT_LE(difference(product.out, oracle.out), coarse);
  EXPECT_LE(difference({std::accumulate(product.losses.begin(), product.losses.end(), 0.0)}, {oracle.mse}), coarse);
  EXPECT_LE(difference(product.input_gradient, oracle.input_gradient), coarse);
  for (const auto& [name, values] : oracle.gradients) {
    EXPECT_LE(difference(product.gradients.at(name), values), coarse) << name;
  }
}

}  // namespace
}  // namespace duet::test
