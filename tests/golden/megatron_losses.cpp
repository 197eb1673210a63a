// megatron_aux_loss and megatron_z_loss: the losses of Megatron's router against our `switch` and `z`. Converted:
// - the coefficient multiplies inside their functions; ours are weighed outside, so it is multiplied here;
// - f counts all k choices and is divided by k, as ours.
#include <gtest/gtest.h>

#include "moe/aux_loss.h"
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/replay.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

void check_aux(const nlohmann::json& one) {
  const auto& parameters = one.at("made_by").at("parameters");
  const auto& output = first_come_of(one);
  const auto logits = tensor_of(one.at("input").at("logits")).requires_grad_(true);
  const auto probs = at::softmax(logits, 1);
  const auto expert = choose_top_k(probs, {.k = parameters.at("topk").get<std::int64_t>()}).expert;
  const auto counts = at::bincount(expert.reshape({-1}), {}, logits.size(1));
  expect_golden(probs, output.at("scores"), tolerance, "scores");
  const auto map = at::zeros_like(expert).new_zeros(logits.sizes()).scatter(1, expert, 1);
  expect_golden(map, output.at("routing_map"), 0, "map");
  expect_golden(counts, output.at("tokens_per_expert"), 0, "tokens per expert");
  EXPECT_EQ(output.at("total_num_tokens").get<std::int64_t>(), logits.size(0));
  const auto loss = switch_loss(probs, counts) * parameters.at("moe_aux_loss_coeff").get<double>();
  expect_golden(loss, output.at("aux_loss"), tolerance, "loss");
  loss.backward();
  expect_golden(logits.grad(), output.at("grad_wrt_logits"), tolerance, "gradient");
}

void check_z(const nlohmann::json& one) {
  const auto logits = tensor_of(one.at("input").at("logits")).requires_grad_(true);
  const auto loss = z_loss(logits) * one.at("made_by").at("parameters").at("z_loss_coeff").get<double>();
  expect_golden(loss, one.at("output").at("z_loss"), tolerance, "loss");
  loss.backward();
  expect_golden(logits.grad(), one.at("output").at("grad_wrt_logits"), tolerance, "gradient");
}

}  // namespace

int check_megatron_aux_loss(const nlohmann::json& file) { return replay_cases(file, check_aux); }

int check_megatron_z_loss(const nlohmann::json& file) { return replay_cases(file, check_z); }

}  // namespace duet::test
