#include "train/step_part.h"

#include <gmock/gmock.h>

#include <cmath>

namespace duet {

namespace {

RankStepResult some_step(std::int64_t step) {
  RankStepResult result;
  result.step = step;
  result.loss = 1.0 / 3;
  result.aux = {0.1, std::nan("")};
  result.router_grad_norm = 1e-300;
  result.capacity = -1;
  result.record.rank = 2;
  result.record.events = {{.phase = trace::Phase::dispatch,
                           .direction = trace::Direction::backward,
                           .operation = trace::Operation::all_to_all,
                           .layer = 1,
                           .start_ns = 5,
                           .end_ns = 9,
                           .bytes = 128,
                           .rows_to = {1, 0},
                           .group = 7,
                           .sequence = std::uint64_t{1} << 63}};
  trace::LayerStep layer;
  layer.tokens_per_expert = {3, 4};
  layer.dropped_per_expert = {0, 1};
  layer.token_count = 7;
  layer.entropy_sum = 0.1;
  layer.expert_grad_norm = {2.0 / 7};
  result.record.layers = {layer};
  return result;
}

TEST(StepPart, ComesBackAsItWas) {
  const auto steps = steps_from_text(steps_to_text({some_step(4), some_step(5)}));
  ASSERT_EQ(steps.size(), 2U);
  const auto sent = some_step(5);
  const auto& came = steps[1];
  EXPECT_EQ(came.step, sent.step);
  EXPECT_EQ(came.loss, sent.loss);  // to the last bit
  EXPECT_EQ(came.aux[0], sent.aux[0]);
  EXPECT_TRUE(std::isnan(came.aux[1]));
  EXPECT_EQ(came.router_grad_norm, sent.router_grad_norm);
  EXPECT_EQ(came.capacity, sent.capacity);
  EXPECT_EQ(came.record.rank, 2);
  const auto& event = came.record.events.at(0);
  EXPECT_EQ(event.sequence, std::uint64_t{1} << 63);
  EXPECT_EQ(event.rows_to, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(event.direction, trace::Direction::backward);
  EXPECT_EQ(came.record.layers.at(0).expert_grad_norm, sent.record.layers.at(0).expert_grad_norm);
  EXPECT_EQ(came.record.layers.at(0).dropped_per_expert, sent.record.layers.at(0).dropped_per_expert);
}

TEST(StepPart, NoStepIsNoText) { EXPECT_TRUE(steps_from_text(steps_to_text({})).empty()); }

}  // namespace

}  // namespace duet
