// The oracle's gradients by hand against finite differences of its own loss: nothing of src/ is in this file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/reference_moe/reference_moe.h"

namespace duet::reference {
namespace {

/// Small numbers of a fixed seed.
class Drawn {
 public:
  std::vector<double> numbers(std::int64_t size, double spread = 1) {
    std::vector<double> values(static_cast<std::size_t>(size));
    for (auto& value : values) value = spread * normal_(engine_);
    return values;
  }

 private:
  std::mt19937_64 engine_{7};
  std::normal_distribution<double> normal_;
};

Rules smooth_rules() {
  Rules rules{.dim = 3, .hidden = 4, .experts = 3, .layers = 2, .top_k = 2, .aux = {}};
  rules.renormalize = rules.residual = rules.limited = true;
  rules.capacity_numerator = 3;
  rules.capacity_denominator = 4;
  rules.aux = {{"cv2", 0.3}, {"z", 0.2}, {"switch", 0.4}};  // std and cv are straight-through: not their own derivative
  return rules;
}

Parameters parameters_of(const Rules& rules, Drawn& drawn) {
  Parameters parameters;
  const auto dim = rules.dim, hidden = rules.hidden;
  for (std::int64_t l = 0; l < rules.layers; ++l) {
    const auto layer = fmt::format("layer.{}.", l);
    parameters[layer + "router.weight"] = drawn.numbers(rules.experts * dim, 0.3);
    if (rules.router_bias) parameters[layer + "router.bias"] = drawn.numbers(rules.experts);
    for (std::int64_t e = 0; e < rules.experts; ++e) {
      const auto expert = fmt::format("{}expert.{}.", layer, e);
      parameters[expert + "w1"] = drawn.numbers(hidden * dim, 0.5);
      parameters[expert + "w2"] = drawn.numbers(dim * hidden, 0.5);
      if (rules.swiglu) {
        parameters[expert + "w3"] = drawn.numbers(hidden * dim, 0.5);
      } else {
        parameters[expert + "b1"] = drawn.numbers(hidden);
        parameters[expert + "b2"] = drawn.numbers(dim);
      }
    }
  }
  return parameters;
}

Batch batch_of(const Rules& rules, Drawn& drawn) {
  const std::vector<std::int64_t> shards{3, 4, 0, 2};
  constexpr std::int64_t tokens = 9;
  Batch batch{.x = drawn.numbers(tokens * rules.dim),
              .target = drawn.numbers(tokens * rules.dim),
              .shard_tokens = shards,
              .micro_batches = {{0, 1}, {2, 3}},
              .draws = {}};
  for (std::int64_t l = 0; l < rules.layers; ++l) {
    auto jitter = drawn.numbers(tokens * rules.dim, 0.1);
    for (auto& factor : jitter) factor += 1;
    batch.draws.push_back({.jitter = jitter,
                           .noise = drawn.numbers(tokens * rules.experts, 0.2),
                           .drop = drawn.numbers(tokens * rules.top_k)});
  }
  return batch;
}

double loss(const Parameters& parameters, const Batch& batch, const Rules& rules) {
  const auto result = forward_backward(parameters, batch, rules);
  double sum = result.mse;
  for (std::size_t i = 0; i < rules.aux.size(); ++i) sum += rules.aux[i].weight * result.aux[i];
  return sum;
}

// (loss(v + h) - loss(v - h)) / 2h for each number of `values`, which `of_loss` reads.
template <typename Loss>
void expect_slopes(std::vector<double>& values, const std::vector<double>& gradient, const std::string& what,
                   Loss of_loss) {
  constexpr double h = 1e-6;
  ASSERT_EQ(values.size(), gradient.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    values[i] = value + h;
    const double above = of_loss();
    values[i] = value - h;
    const double below = of_loss();
    values[i] = value;
    const double slope = (above - below) / (2 * h);
    EXPECT_NEAR(gradient[i], slope, 1e-7 * std::max(1.0, std::abs(slope))) << what << ", number " << i;
  }
}

void expect_gradients_are_slopes(const Rules& rules) {
  Drawn drawn;
  auto parameters = parameters_of(rules, drawn);
  auto batch = batch_of(rules, drawn);
  const auto result = forward_backward(parameters, batch, rules);
  ASSERT_GT(result.smallest_margin, 1e-4) << "a choice may flip between the two sides";
  const auto now = [&] { return loss(parameters, batch, rules); };
  for (const auto& [name, gradient] : result.gradients) expect_slopes(parameters.at(name), gradient, name, now);
  expect_slopes(batch.x, result.input_gradient, "input", now);
}

TEST(Reference, GradientsAreSlopesOfTheLoss) { expect_gradients_are_slopes(smooth_rules()); }

TEST(Reference, GradientsAreSlopesForSwigluAndGlobalRules) {
  auto rules = smooth_rules();
  rules.swiglu = rules.global_aux = rules.global_capacity = true;
  rules.router_bias = rules.renormalize = false;
  rules.drop = "random";
  rules.slot_order = "choice";
  expect_gradients_are_slopes(rules);
}

TEST(Reference, ClipsToTheLimitAndLeavesSmallGradientsAlone) {
  Parameters gradients{{"a", {3}}, {"b", {0, 4}}};
  clip(gradients, 5.1);
  EXPECT_EQ(gradients.at("a").front(), 3);
  clip(gradients, 2.5);
  EXPECT_NEAR(gradients.at("a").front(), 1.5, 1e-6);
  EXPECT_NEAR(gradients.at("b").back(), 2, 1e-6);
}

}  // namespace
}  // namespace duet::reference
