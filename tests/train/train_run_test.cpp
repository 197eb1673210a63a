#include "train/train_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "train/difference.h"

namespace duet {
namespace {

RunConfig run_of(std::int64_t steps) {
  RunConfig config;
  config.steps = steps;
  return config;
}

TEST(TrainRun, EndsInTheSameModelInEveryMode) {
  auto config = run_of(20);
  config.float64 = true;
  const auto single = run_train(config, Mode::single, {});
  for (const auto mode : {Mode::ep, Mode::dp}) {
    const auto outcome = run_train(config, mode, {});
    EXPECT_LE(relative_difference(outcome.parameters, single.parameters), 1e-12) << name(mode);
    EXPECT_EQ(outcome.kinds_per_expert, single.kinds_per_expert) << name(mode);
  }
}

TEST(TrainRun, WithoutAnEndGoesOnUntilToldToStop) {
  std::atomic<bool> stop{false};
  std::int64_t heard = 0;
  const auto outcome = run_train(run_of(0), Mode::ep,
                                 {.on_step = [&](const trace::StepRecord&) { stop = ++heard == 7; }, .stop = &stop});
  EXPECT_EQ(outcome.steps, 7);
  EXPECT_EQ(heard, 7);
}

struct Learned {
  double specialisation = 0;
  double loss_left = 0;  ///< mean of the last 20 steps / first step
};

Learned learn(std::uint64_t seed) {
  RunConfig config;  // as the program runs it when no flag is given
  config.data.seed = seed;
  std::vector<double> losses;
  const auto outcome =
      run_train(config, Mode::ep, {.on_step = [&](const trace::StepRecord& step) { losses.push_back(step.loss); }});
  const double last = std::accumulate(losses.end() - 20, losses.end(), 0.0) / 20;
  return {specialisation(outcome.kinds_per_expert), last / losses.front()};
}

TEST(TrainRun, LearnsToGiveEachExpertOneKindOfToken) {
  int learned = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = learn(seed);
    fmt::print("seed {:2}: {:5.1f}% of each kind go to one expert, {:.2f}% of the loss is left\n", seed,
               100 * result.specialisation, 100 * result.loss_left);
    learned += result.specialisation >= 0.95 && result.loss_left < 0.05;
  }
  EXPECT_GE(learned, 18);
}

TEST(TrainRun, OfNoiseFloorsAtTheVarianceOfTheTargets) {
  auto config = run_of(200);
  config.data.dataset = Dataset::random;
  double last = 0;
  run_train(config, Mode::single, {.on_step = [&](const trace::StepRecord& step) { last = step.loss; }});
  EXPECT_NEAR(last, 1.0, 0.15);
}

TEST(TrainRun, PassesTheListenersErrorOn) {
  const TrainListener full_disk{.on_step = [](const trace::StepRecord&) { throw std::runtime_error("disk full"); }};
  EXPECT_THROW(run_train(run_of(5), Mode::ep, full_disk), std::exception);
}

TEST(Specialisation, IsTheSmallerShareOfTheFavouriteExperts) {
  EXPECT_DOUBLE_EQ(specialisation({{90, 10}, {0, 50}}), 0.9);
  EXPECT_DOUBLE_EQ(specialisation({{90, 10}, {50, 0}}), 0) << "both kinds favour expert 0";
  EXPECT_DOUBLE_EQ(specialisation({{90, 10}, {0, 0}}), 0) << "a kind without tokens";
}

}  // namespace
}  // namespace duet
