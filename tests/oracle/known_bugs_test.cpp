// Mistakes that other systems really made, each with its public issue. All of them train: only a number is wrong, or a
// step in a hundred hangs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "tests/oracle/agreement.h"
#include "train/forward.h"
#include "train/ranks.h"
#include "train/step.h"

namespace duet::test {
namespace {

using Mesh = std::pair<int, int>;  // dp, ep
const std::vector<Mesh> meshes{{1, 1}, {4, 1}, {2, 2}, {1, 4}};

// The same four shards on every layout.
RunConfig config_on(const Mesh& mesh) {
  RunConfig config;
  config.model.dim = 5;
  config.model.hidden = 4;
  config.model.experts = 4;
  config.model.top_k = 2;
  config.model.aux.clear();
  config.layout = {.ranks = mesh.first * mesh.second, .dp = mesh.first, .ep = mesh.second};
  config.data.shards = 4;
  config.data.tokens = {6, 9, 3, 8};
  config.steps = 1;
  config.float64 = true;
  config.deadline_s = 10;  // a hang fails soon
  return config;
}

ProductStep first_step(const RunConfig& config) { return run_product(config).steps.front(); }

double sum_of_squares(const reference::Parameters& parameters) {
  double sum = 0;
  for (const auto& [name, values] : parameters) {
    for (const double value : values) sum += value * value;
  }
  return sum;
}

double sum_over_ranks(const std::vector<std::vector<double>>& auxes, std::size_t loss) {
  double sum = 0;
  for (const auto& rank : auxes) sum += rank[loss];
  return sum;
}

// DeepSpeed #5618, pytorch #160285: an expert's gradient was averaged over the ranks that repeat it (dp), not over all
// whose tokens it took, so it came out ep times too large against the router's.
TEST(KnownBugs, ExpertGradientsDoNotGrowWithTheExpertParallelGroup) {
  const auto single = first_step(config_on({1, 1})).gradients;
  for (const auto& mesh : meshes) {
    const auto gradients = first_step(config_on(mesh)).gradients;
    for (const auto& [name, values] : single) {
      EXPECT_LE(difference(gradients.at(name), values), tolerance)
          << fmt::format("{} on dp {} ep {}", name, mesh.first, mesh.second);
    }
  }
}

// DeepSpeed #8475: the norm that clips was the mean of the ranks' norms, though ranks hold different experts, so each
// layout clipped to another length.
TEST(KnownBugs, ClippingCountsEveryExpertOnceOnEveryLayout) {
  constexpr double limit = 0.01;
  const auto unclipped = first_step(config_on({1, 1})).gradients;
  const double norm = std::sqrt(sum_of_squares(unclipped));
  ASSERT_GT(norm, 2 * limit);
  for (const auto& mesh : meshes) {
    auto config = config_on(mesh);
    config.optimizer.clip_norm = limit;
    const auto clipped = first_step(config).gradients;
    // torch's clip_grad_norm_ adds 1e-6 to the norm.
    EXPECT_NEAR(std::sqrt(sum_of_squares(clipped)), limit * norm / (norm + 1e-6), 1e-14)
        << fmt::format("dp {} ep {}", mesh.first, mesh.second);
  }
}

// Megatron-LM #3672: the global auxiliary loss was divided by the global number of tokens and then averaged over ranks
// too, so its gradient shrank with their number and the same weight meant another strength on another layout.
TEST(KnownBugs, AuxiliaryLossesAndTheirGradientsDoNotDependOnTheLayout) {
  for (const auto scope : {Scope::local, Scope::global}) {
    for (const auto kind : {AuxKind::std, AuxKind::cv, AuxKind::cv2, AuxKind::switch_, AuxKind::z}) {
      std::vector<ProductStep> steps;
      for (const auto& mesh : meshes) {
        auto config = config_on(mesh);
        config.model.aux = {{kind, 100}};  // drowns the error's gradient
        config.model.aux_scope = scope;
        steps.push_back(first_step(config));
        SCOPED_TRACE(fmt::format("{} {} dp {} ep {}", name(kind), scope == Scope::local ? "local" : "global",
                                 mesh.first, mesh.second));
        const double one_device = sum_over_ranks(steps.front().auxes, 0);
        ASSERT_GT(one_device, 0);
        EXPECT_NEAR(sum_over_ranks(steps.back().auxes, 0) / one_device, 1, tolerance);
        const std::string router = "layer.0.router.weight";
        EXPECT_LE(difference(steps.back().gradients.at(router), steps.front().gradients.at(router)), tolerance);
      }
    }
  }
}

/// A model on one rank whose parameters a test sets, and a forward through it.
struct OneRank {
  explicit OneRank(const RunConfig& run)
      : config(run),
        layout(layout_of(run, Mode::single)),
        model(make_model(run.model, run.data.seed, layout, 0, at::kDouble)) {}

  void run(const std::function<void(const MeshGroups&, const Batch&)>& body) const {
    run_on_ranks(config, [&](comm::Communicator& world) {
      const auto groups = split_mesh(world, layout.mesh, nullptr);
      const auto batch =
          DataSource(config.data, config.model.dim, at::kDouble).batch(0, shards_of(0, 1, shard_sizes(config)));
      body(groups, batch);
    });
  }

  RunConfig config;
  Layout layout;
  RankModel model;
};

// Every token to expert `wanted`, whatever it is.
void collapse(const RouterWeights& router, std::int64_t wanted) {
  const at::NoGradGuard no_grad;
  router.weight.zero_();
  router.bias.zero_();
  router.bias[wanted] = 50.0;
}

// transformers #28255, #45120: all layers' tokens were counted together, so that two layers, each collapsed onto
// another expert, looked balanced. Expert 0 of one layer has nothing to do with expert 0 of the next.
TEST(KnownBugs, TwoLayersThatCollapseOntoDifferentExpertsAreNotBalanced) {
  auto config = config_on({1, 1});
  config.model.layers = 2;
  config.model.experts = 2;
  config.model.top_k = 1;
  config.model.aux = {{AuxKind::switch_, 1}};
  OneRank one(config);
  for (std::int64_t l = 0; l < 2; ++l) collapse(one.model.layers[static_cast<std::size_t>(l)].router, l);
  one.run([&](const MeshGroups& groups, const Batch& batch) {
    for (const auto& layer : model_forward(groups, one.model, batch.x, batch.shards)) {
      EXPECT_NEAR(layer.aux.front().item<double>(), 2, 1e-12) << "E at collapse; 1 would be balance";
    }
  });
}

// The deviation's derivative is 0 / 0 at perfect balance; backward made it NaN, and one step later the model was.
TEST(KnownBugs, PerfectBalanceGivesNoNan) {
  for (const auto kind : {AuxKind::std, AuxKind::cv, AuxKind::cv2, AuxKind::switch_, AuxKind::z}) {
    for (const auto scope : {Scope::local, Scope::global}) {
      for (const auto estimator : {Estimator::unbiased, Estimator::population}) {
        auto config = config_on({1, 1});
        config.model.top_k = config.model.experts;  // every expert gets every token
        config.model.aux = {{kind, 1}};
        config.model.aux_scope = scope;
        config.model.estimator = estimator;
        const auto step = first_step(config);
        SCOPED_TRACE(name(kind));
        EXPECT_TRUE(std::isfinite(step.auxes.front().front()));
        if (kind == AuxKind::std || kind == AuxKind::cv) {
          EXPECT_EQ(step.auxes.front().front(), 0);
        }
        EXPECT_TRUE(std::isfinite(sum_of_squares(step.gradients)));
      }
    }
  }
}

// Megatron-LM #894: at top-1 a gate renormalised over the chosen is the constant 1, and the router gets no gradient.
TEST(KnownBugs, ATopOneGateTeachesTheRouterUnlessAskedNotTo) {
  auto config = config_on({1, 1});
  config.model.top_k = 1;
  const auto largest = [](const std::vector<double>& values) {
    double found = 0;
    for (const double value : values) found = std::max(found, std::abs(value));
    return found;
  };
  EXPECT_GT(largest(first_step(config).gradients.at("layer.0.router.weight")), 1e-3);
  config.model.renormalize = true;
  EXPECT_THROW(run_product(config), InputError) << "refused by itself";
  config.model.constant_gate = true;
  EXPECT_LT(largest(first_step(config).gradients.at("layer.0.router.weight")), 1e-14) << "what the flag is for";
}

Routing everyone_wants_expert_0(std::int64_t tokens) {
  auto logits = at::zeros({tokens, 4}, at::kDouble);
  logits.narrow(1, 0, 1).fill_(1);
  Routing routing{.logits = logits,
                  .probs = at::softmax(logits, 1),
                  .expert = at::zeros({tokens, 1}, at::kLong),
                  .gate = at::ones({tokens, 1}, at::kDouble)};
  routing.draw = (at::arange(tokens, at::kDouble).view({-1, 1}) + 0.5) / static_cast<double>(tokens);
  return routing;
}

// DeepSpeed #1658: five tokens that all want expert 0, with room for four. Without random selection the fifth was not
// dropped, and its slot was outside the buffer. (Also: more room than tokens, DeepSpeed #5353.)
TEST(KnownBugs, CapacityHoldsWhateverThePolicyAndMayExceedTheTokens) {
  for (const auto drop : {DropPolicy::position, DropPolicy::probability, DropPolicy::random}) {
    for (const auto order : {SlotOrder::token, SlotOrder::choice}) {
      CapacityRule rule{.factor = Fraction{1, 1}, .minimum = 4, .drop = drop, .slot_order = order};
      const auto mask = apply_capacity(everyone_wants_expert_0(5), rule).mask;
      EXPECT_EQ(mask.sum().item<std::int64_t>(), 4);
      EXPECT_FALSE(mask[4].item<bool>()) << "the last, by every policy here";
      rule.minimum = 100;
      EXPECT_EQ(apply_capacity(everyone_wants_expert_0(5), rule).mask.sum().item<std::int64_t>(), 5);
      EXPECT_EQ(apply_capacity(everyone_wants_expert_0(0), rule).mask.numel(), 0);
    }
  }
}

// Tutel #173: ranks with a short last batch made another number of collective calls than the others, and all hung.
TEST(KnownBugs, AShortOrEmptyLastBatchHangsNoRank) {
  for (const auto& tokens : std::vector<std::vector<std::int64_t>>{{8, 8, 8, 1}, {8, 8, 8, 0}, {0, 0, 0, 1}}) {
    for (const auto& mesh : meshes) {
      for (const auto scope : {Scope::local, Scope::global}) {
        auto config = config_on(mesh);
        config.data.tokens = tokens;
        config.model.capacity_factor = "1.0";
        config.model.capacity_scope = config.model.aux_scope = scope;
        config.model.aux = {{AuxKind::std, 0.1}};
        expect_agreement(config);
      }
    }
  }
}

// DeepSpeed #5066: backward waited for ranks that had no token for an expert, and so no gradient to bring.
TEST(KnownBugs, AnUnusedExpertAndARankWithoutTokensHangNoBackward) {
  for (const auto& mesh : meshes) {
    for (const std::int64_t tokens : {1, 2}) {
      auto config = config_on(mesh);
      config.model.top_k = 1;  // at most two of the four experts are used, by one rank's tokens
      config.data.tokens = {0, 0, tokens, 0};
      config.model.layers = 2;
      expect_agreement(config);
      const auto gradients = first_step(config).gradients;
      int unused = 0;
      for (int e = 0; e < 4; ++e) {
        const auto& w1 = gradients.at(fmt::format("layer.0.expert.{}.b2", e));
        unused += std::ranges::all_of(w1, [](double value) { return value == 0; }) ? 1 : 0;
      }
      EXPECT_GE(unused, 2) << "zeros, not absent";
    }
  }
}

// Tutel #87: every rank drew its experts from the same seed, so that all ranks held the same experts.
TEST(KnownBugs, NoTwoExpertsStartAlikeAndEveryLayoutStartsFromTheSame) {
  const auto initial = initial_parameters(config_on({1, 1}));
  for (const auto* parameter : {"w1", "b1", "w2", "b2"}) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < a; ++b) {
        EXPECT_NE(initial.at(fmt::format("layer.0.expert.{}.{}", a, parameter)),
                  initial.at(fmt::format("layer.0.expert.{}.{}", b, parameter)));
      }
    }
  }
  for (const auto& mesh : meshes) {
    auto config = config_on(mesh);
    config.steps = 0;
    EXPECT_EQ(run_product(config).parameters, initial) << "dp " << mesh.first << " ep " << mesh.second;
  }
}

}  // namespace
}  // namespace duet::test
