#include "train/adam.h"

#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>

namespace duet {
namespace {

class AdamIn : public testing::TestWithParam<at::ScalarType> {};
INSTANTIATE_TEST_SUITE_P(Train, AdamIn, testing::Values(at::kDouble, at::kFloat),
                         [](const auto& dtype) { return std::string(c10::toString(dtype.param)); });

// A gradient a step, of several sizes, with zeros and a tiny one among them.
at::Tensor gradient(std::int64_t step, at::ScalarType dtype) {
  auto gradient = at::arange(37, at::kDouble).sub(18).mul(0.01 * static_cast<double>(step % 5 - 2)).sin();
  gradient[0] = 1e-12;
  return gradient.to(dtype);
}

// The fused kernel sums in another order than torch's loop over operators: the last bits may differ.
TEST_P(AdamIn, IsTorchsAdam) {
  const auto dtype = GetParam();
  const OptimizerConfig config{.lr = 0.01};
  const auto start = at::arange(37, at::kDouble).cos().to(dtype);
  const auto ours = start.clone();
  auto theirs = start.clone().requires_grad_(true);
  Adam adam(ours, config);
  torch::optim::Adam torch_adam(
      {theirs}, torch::optim::AdamOptions(config.lr).betas({config.beta1, config.beta2}).eps(config.eps));
  for (std::int64_t step = 0; step < 50; ++step) {
    adam.step(gradient(step, dtype));
    theirs.mutable_grad() = gradient(step, dtype);
    torch_adam.step();
    const double apart = (ours - theirs.detach()).abs().max().item<double>();
    ASSERT_LE(apart, dtype == at::kDouble ? 1e-15 : 5e-7) << "step " << step;
  }
}

// Decay goes to the weights; torch's Adam with weight_decay would put it into the gradient.
TEST_P(AdamIn, WithWeightDecayIsTorchsAdamW) {
  const auto dtype = GetParam();
  const OptimizerConfig config{.lr = 0.01, .weight_decay = 0.1};
  const auto start = at::arange(37, at::kDouble).cos().to(dtype);
  const auto ours = start.clone();
  auto theirs = start.clone().requires_grad_(true);
  Adam adam(ours, config);
  torch::optim::AdamW torch_adam({theirs}, torch::optim::AdamWOptions(config.lr)
                                               .betas({config.beta1, config.beta2})
                                               .eps(config.eps)
                                               .weight_decay(config.weight_decay));
  for (std::int64_t step = 0; step < 50; ++step) {
    adam.step(gradient(step, dtype));
    theirs.mutable_grad() = gradient(step, dtype);
    torch_adam.step();
    const double apart = (ours - theirs.detach()).abs().max().item<double>();
    ASSERT_LE(apart, dtype == at::kDouble ? 1e-15 : 5e-7) << "step " << step;
  }
}

TEST(Adam, StepsEveryParameterWhoseGradientIsZero) {
  const auto values = at::ones({2}, at::kDouble);
  Adam adam(values, {.lr = 0.1});
  adam.step(at::ones({2}, at::kDouble));
  const auto after_one = values.clone();
  adam.step(at::zeros({2}, at::kDouble));
  EXPECT_TRUE(values.lt(after_one).all().item<bool>()) << "the running mean goes on";
}

TEST(Adam, HoldsTwoMoments) { EXPECT_EQ(Adam(at::zeros({10}, at::kFloat), {}).state_bytes(), 2 * 10 * 4); }

}  // namespace
}  // namespace duet
