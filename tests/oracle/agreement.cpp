#include "tests/oracle/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace duet::test {

namespace {

constexpr double near_tie = 1e-9;

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double largest_of(const reference::Parameters& parameters) {
  double largest = 0;
  for (const auto& [name, values] : parameters) largest = std::max(largest, largest_of(values));
  return largest;
}

void expect_equal(const reference::Parameters& product, const reference::Parameters& oracle, const std::string& what,
                  double scale, double limit) {
  ASSERT_EQ(product.size(), oracle.size()) << what;
  const double least = scale * largest_of(oracle);
  for (const auto& [name, values] : oracle) {
    ASSERT_TRUE(product.contains(name)) << what << " of " << name;
    EXPECT_LE(difference(product.at(name), values, least), limit) << what << " of " << name;
  }
}

std::vector<double> sum_over_ranks(const std::vector<std::vector<double>>& ranks) {
  auto sum = ranks.front();
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += ranks[rank][i];
  }
  return sum;
}

void expect_equal(const ProductStep& product, const reference::Result& oracle, double scale, double limit) {
  for (std::size_t l = 0; l < oracle.layers.size(); ++l) {
    EXPECT_EQ(product.expert[l], oracle.layers[l].expert) << "chosen experts of layer " << l;
    EXPECT_EQ(product.kept[l], oracle.layers[l].kept) << "kept pairs of layer " << l;
  }
  EXPECT_LE(difference(product.out, oracle.out), limit) << "output";
  const double loss = std::accumulate(product.losses.begin(), product.losses.end(), 0.0);
  EXPECT_LE(difference({loss}, {oracle.mse}), limit) << "loss";
  const auto auxes = sum_over_ranks(product.auxes);
  ASSERT_EQ(auxes.size(), oracle.aux.size());
  for (std::size_t i = 0; i < auxes.size(); ++i) {
    EXPECT_LE(difference({auxes[i]}, {oracle.aux[i]}, scale), limit) << "auxiliary loss " << i;
  }
  expect_equal(product.gradients, oracle.gradients, "gradient", scale, limit);
  if (!product.input_gradient.empty()) {
    const double least = scale * largest_of(oracle.gradients);
    EXPECT_LE(difference(product.input_gradient, oracle.input_gradient, least), limit) << "gradient of the input";
  }
}

}  // namespace

double difference(const std::vector<double>& a, const std::vector<double>& b, double scale) {
  if (a.size() != b.size()) return INFINITY;
  double apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    apart = std::max(apart, std::abs(a[i] - b[i]));
  }
  return apart == 0 ? 0 : apart / std::max(scale, largest_of(b));
}

bool expect_agreement(const RunConfig& config, const Judgement& judgement) {
  SCOPED_TRACE(describe(config));
  const auto product = run_product(config);
  EXPECT_EQ(product.differs, "") << "two ranks hold it unlike";
  auto parameters = initial_parameters(config);
  reference::Adam adam(config.optimizer.lr, config.optimizer.weight_decay);
  for (std::int64_t step = 0; step < config.steps; ++step) {
    SCOPED_TRACE(fmt::format("step {}", step));
    auto oracle = reference::forward_backward(parameters, global_batch(config, step), rules_of(config));
    if (oracle.smallest_margin < near_tie) {
      if (!judgement.skip_near_ties) ADD_FAILURE() << "a near-tie, which rounding may decide; choose another seed";
      return false;
    }
    if (config.optimizer.clip_norm > 0) reference::clip(oracle.gradients, config.optimizer.clip_norm);
    const double limit = step == 0 ? tolerance : judgement.after_a_step;
    expect_equal(product.steps[static_cast<std::size_t>(step)], oracle, judgement.scale, limit);
    if (testing::Test::HasFailure()) return true;
    adam.step(parameters, oracle.gradients);
    if (config.model.bias_rate > 0) reference::move_choice_biases(parameters, oracle, config.model.bias_rate);
  }
  expect_equal(product.parameters, parameters, "parameters after the last step", judgement.scale,
               judgement.after_a_step);
  return true;
}

std::string describe(const RunConfig& config) {
  const auto& m = config.model;
  const auto flag = [](bool set, const char* text) { return set ? text : ""; };
  return fmt::format(
      "dp {} ep {} tokens {} accumulate {} seed {} | experts {} top-{} layers {}{}{}{}{} | capacity {} min {}{} drop "
      "{} "
      "order {}{} | aux {}{}{} bias {} jitter {} noise {} | clip {} decay {}",
      config.layout.dp, config.layout.ep, config.data.tokens, config.accumulate, config.data.seed, m.experts, m.top_k,
      m.layers, flag(m.expert == ExpertKind::swiglu, " swiglu"), flag(!m.router_bias, " no router bias"),
      flag(m.renormalize, " renormalized"), flag(m.constant_gate, " constant gate"), m.capacity_factor, m.min_capacity,
      flag(m.capacity_scope == Scope::global, " global"), static_cast<int>(m.drop), static_cast<int>(m.slot_order),
      flag(m.residual, " residual"), aux_text(m.aux), flag(m.aux_scope == Scope::global, " global"),
      flag(m.estimator == Estimator::population, " population"), m.bias_rate, m.router_jitter, m.router_noise,
      config.optimizer.clip_norm, config.optimizer.weight_decay);
}

}  // namespace duet::test
