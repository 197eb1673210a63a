// Gradients by hand against finite differences, auxiliary losses, and the whole layer's errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "comm/threads/run_ranks.h"
#include "core/error.h"
#include "moe/aux_loss.h"
#include "moe/aux_scope.h"
#include "moe/counts.h"
#include "moe/gate_backward.h"
#include "moe/layer.h"
#include "tests/moe/tensors.h"

namespace duet {
namespace {

using test::doubles;
using test::flags;
using test::integers;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Gradient of `f` at x by central differences.
at::Tensor differences(const std::function<double(const at::Tensor&)>& f, const at::Tensor& x) {
  constexpr double step = 1e-6;
  auto gradient = at::zeros_like(x);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    auto shifted = x.clone();
    shifted.view(-1)[i] += step;
    const double above = f(shifted);
    shifted.view(-1)[i] -= 2 * step;
    gradient.view(-1)[i] = (above - f(shifted)) / (2 * step);
  }
  return gradient;
}

void expect_near(const at::Tensor& a, const at::Tensor& b, double tolerance) {
  EXPECT_LE((a - b).abs().max().item<double>(), tolerance) << a << b;
}

TEST(GateBackward, IsTheRowTimesTheOutputsGradientAndZeroForADroppedPair) {
  comm::run_ranks(1, {}, [](comm::Communicator& comm) {
    const Kept kept{flags({1, 0}, {2, 1}), at::zeros({1}, at::kLong)};
    const auto plan = exchange_counts(comm, make_plan(integers({0, 0}, {2, 1}), kept, {.experts = 1, .ranks = 1}));
    const auto rows = doubles({3, 4, 0, 0}, {2, 2});  // the kept pair's row, and the row of zeros
    const auto grad = gate_backward(plan, doubles({1, 2, 5, 6}, {2, 2}), rows);
    EXPECT_EQ(grad[0][0].item<double>(), 1 * 3 + 2 * 4);
    EXPECT_EQ(grad[1][0].item<double>(), 0);
  });
}

TEST(LogitsBackward, IsTheSoftmaxJacobianOfTheChosenProbability) {
  const auto logits = doubles({0.3, -0.2, 0.5, 1.0, 0.1, -0.4}, {2, 3});
  const auto expert = integers({2, 0, 0, 1}, {2, 2});
  const auto weight = doubles({1, 2, 3, 4}, {2, 2});
  const auto f = [&](const at::Tensor& at_logits) {
    return (at::softmax(at_logits, 1).gather(1, expert) * weight).sum().item<double>();
  };
  expect_near(logits_backward(weight, at::softmax(logits, 1), expert), differences(f, logits), 1e-9);
}

TEST(StdLoss, IsTheStandardDeviationAndPullsEqually) {
  const auto probs = at::full({4, 2}, 0.5, at::kDouble).requires_grad_(true);
  const auto loss = std_loss(probs, integers({3, 1}, {2}));
  EXPECT_NEAR(loss.item<double>(), std::sqrt(2.0), 1e-15);
  loss.backward();
  for (std::int64_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(probs.grad()[t][0].item<double>(), 1 / std::sqrt(2.0), 1e-15);
    EXPECT_NEAR(probs.grad()[t][1].item<double>(), -1 / std::sqrt(2.0), 1e-15);
  }
}

TEST(StdLoss, IsZeroWithAZeroGradientAtBalanceForOneExpertAndWithoutTokens) {
  for (const auto& [tokens, counts] : {std::pair{4, std::vector<std::int64_t>{2, 2}}, {4, {4}}, {0, {0, 0}}}) {
    const auto experts = static_cast<std::int64_t>(counts.size());
    const auto probs = at::full({tokens, experts}, 0.5, at::kDouble).requires_grad_(true);
    for (const auto kind : {AuxKind::std, AuxKind::cv, AuxKind::cv2}) {
      const AuxInput shard{.logits = probs, .probs = probs, .counts = integers(counts, {experts})};
      const auto loss = shard_aux(kind, Estimator::unbiased, shard);
      EXPECT_EQ(loss.item<double>(), 0) << name(kind);
      loss.backward();
      EXPECT_EQ(probs.grad().abs().sum().item<double>(), 0) << name(kind) << " of " << tokens << " tokens";
      probs.mutable_grad() = at::Tensor();
    }
  }
}

TEST(CvLoss, IsFreeOfScale) {
  const auto probs = at::full({8, 2}, 0.5, at::kDouble);
  const double small = cv_loss(probs, integers({3, 1}, {2})).item<double>();
  EXPECT_NEAR(cv_loss(probs, integers({30, 10}, {2})).item<double>(), small, 1e-15);
  EXPECT_NEAR(small, std::sqrt(2.0) / 2, 1e-15);
}

TEST(SwitchLoss, IsOneAtBalanceAndTheNumberOfExpertsAtCollapse) {
  const auto even = at::full({4, 2}, 0.5, at::kDouble);
  EXPECT_DOUBLE_EQ(switch_loss(even, integers({2, 2}, {2})).item<double>(), 1);
  EXPECT_DOUBLE_EQ(switch_loss(doubles({1, 0, 1, 0}, {2, 2}), integers({2, 0}, {2})).item<double>(), 2);
  EXPECT_DOUBLE_EQ(switch_loss(at::empty({0, 2}, at::kDouble), integers({0, 0}, {2})).item<double>(), 0);
}

TEST(Cv2Loss, IsVarianceOverSquaredMeanWithTheGradientThatDifferencesGive) {
  const auto importance = doubles({1, 3, 2}, {3}).requires_grad_(true);
  const auto loss = cv2_loss(importance);
  EXPECT_NEAR(loss.item<double>(), (1 + 1 + 0) / 3.0 / 4.0, 1e-15);
  loss.backward();
  const auto f = [](const at::Tensor& at_importance) { return cv2_loss(at_importance).item<double>(); };
  expect_near(importance.grad(), differences(f, importance.detach()), 1e-8);
}

TEST(ZLoss, IsTheMeanSquareOfLogSumExp) {
  const auto logits = doubles({0, 0, 1, 2}, {2, 2});
  const double second = std::log(std::exp(1.0) + std::exp(2.0));
  EXPECT_NEAR(z_loss(logits).item<double>(), (std::log(2.0) * std::log(2.0) + second * second) / 2, 1e-15);
  EXPECT_EQ(z_loss(at::empty({0, 2}, at::kDouble)).item<double>(), 0);
}

TEST(Swiglu, GatesAndHasTheGradientThatDifferencesGive) {
  const SwigluWeights weights{doubles({1, 0, 0.5, -1}, {2, 2}), doubles({0.3, 0.2, -0.7, 1}, {2, 2}),
                              doubles({1, 2, -1, 0.5}, {2, 2})};
  const auto rows = doubles({0.3, -0.6, 1.2, 0.4}, {2, 2}).requires_grad_(true);
  const double a = 0.3, silu = a / (1 + std::exp(-a));  // row 0: w1 x = (0.3, 0.75)
  const double b = 0.75, silu_b = b / (1 + std::exp(-b));
  const double h0 = silu * (0.3 * 0.3 + 0.2 * -0.6), h1 = silu_b * (-0.7 * 0.3 + 1 * -0.6);
  const auto out = swiglu_forward(rows, weights);
  EXPECT_NEAR(out[0][0].item<double>(), h0 + 2 * h1, 1e-15);
  out.square().sum().backward();
  const auto f = [&](const at::Tensor& x) { return swiglu_forward(x, weights).square().sum().item<double>(); };
  expect_near(rows.grad(), differences(f, rows.detach()), 1e-8);
}

MoeLayer small_layer() {
  const auto expert = [](double scale) {
    return ExpertWeights{(at::arange(6, at::kDouble).view({3, 2}) * scale).sin().requires_grad_(true),
                         at::full({3}, 0.1, at::kDouble).requires_grad_(true),
                         (at::arange(6, at::kDouble).view({2, 3}) * scale).cos().requires_grad_(true),
                         at::full({2}, -0.1, at::kDouble).requires_grad_(true)};
  };
  return {.router = {doubles({0.5, -0.3, 0.2, 0.7}, {2, 2}).requires_grad_(true),
                     doubles({0.1, 0}, {2}).requires_grad_(true)},
          .experts = {expert(0.7), expert(1.3)},
          .placement = {.experts = 2, .ranks = 1},
          .capacity = {},
          .aux = {}};
}

TokenSpan span(std::int64_t tokens, std::int64_t first_token = 0) {
  return {.shard_tokens = {tokens}, .first_token = first_token, .global_shards = 1, .rank_tokens = {tokens}};
}

// With both choices nothing can flip, so differences of the whole layer are smooth.
TEST(Layer, HasTheGradientThatDifferencesGive) {
  comm::run_ranks(1, {}, [](comm::Communicator& comm) {
    auto layer = small_layer();
    layer.router.top_k = 2;
    const auto f = [&](const at::Tensor& x) {
      return moe_forward({comm, comm}, layer, x, span(3)).out.square().sum().item<double>();
    };
    const auto x = doubles({0.3, -0.6, 1.2, 0.4, -0.8, 0.9}, {3, 2}).requires_grad_(true);
    moe_forward({comm, comm}, layer, x, span(3)).out.square().sum().backward();
    expect_near(x.grad(), differences(f, x.detach()), 1e-8);
  });
}

TEST(Layer, AddsADroppedTokenUnchangedWhenAsked) {
  comm::run_ranks(1, {}, [](comm::Communicator& comm) {
    auto layer = small_layer();
    layer.capacity.factor = Fraction{0, 1};  // nobody gets a place
    const auto x = doubles({0.3, -0.6, 1.2, 0.4}, {2, 2});
    EXPECT_EQ(moe_forward({comm, comm}, layer, x, span(2)).out.abs().sum().item<double>(), 0);
    layer.residual = true;
    EXPECT_TRUE(at::equal(moe_forward({comm, comm}, layer, x, span(2)).out, x));
  });
}

TEST(Layer, NamesTheTokenOfALogitThatIsNotFinite) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const auto run = [bad] {
      comm::run_ranks(1, {}, [bad](comm::Communicator& comm) {
        auto x = at::zeros({4, 2}, at::kDouble);
        x[2][1] = bad;
        moe_forward({comm, comm}, small_layer(), x, span(4, /*first_token=*/10));
      });
    };
    EXPECT_THAT(run, ThrowsMessage<InputError>(AllOf(HasSubstr("token 12"), HasSubstr("rank 0"))));
  }
}

TEST(Layer, TakesLogitsWhoseSumOverflows) {
  comm::run_ranks(1, {}, [](comm::Communicator& comm) {
    auto layer = small_layer();
    layer.router.weight = doubles({1, 0, 1, 0}, {2, 2});
    const auto x = doubles({1e308, 0, 1e308, 0}, {2, 2});
    EXPECT_NO_THROW(moe_forward({comm, comm}, layer, x, span(2)));
  });
}

}  // namespace
}  // namespace duet
