// megatron_routing: topk_routing_with_score_function against choose_top_k. Converted:
// - `use_pre_softmax` is our gate as it is; without it the softmax over the chosen logits is our --renormalize, and at
//   k = 1 --constant-gate;
// - Megatron chooses by logits; we by probabilities, in the same order but where several underflow to 0. So that these
//   cases can be compared, the choice here is made by our rule from the logits;
// - `scaling_factor` multiplies the gates, and we have none: ours is multiplied here;
// - an `expert_bias` is ignored there by softmax, so the case is run without a choice bias;
// - Megatron computes in float32; ours runs in float64, so that the gradient of a constant gate is 0 here as there.
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/replay.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

void check(const nlohmann::json& one) {
  const auto& parameters = one.at("made_by").at("parameters");
  const auto& output = first_come_of(one);
  const auto logits = tensor_of(one.at("input").at("logits")).to(at::kDouble).requires_grad_(true);
  const auto probs = at::softmax(logits, 1);
  const TopKRule rule{.k = parameters.at("topk").get<std::int64_t>(),
                      .renormalize = !parameters.value("use_pre_softmax", false),
                      .constant_gate = true};
  const auto expert = choose_top_k(logits.detach(), {.k = rule.k}).expert;
  auto gate = choose_top_k(probs, rule).gate * parameters.value("scaling_factor", 1.0);
  expect_golden(expert, output.at("top_indices"), 0, "chosen experts");
  expect_golden(gate, output.at("dense_probs"), tolerance, "gates");

  const auto dense = at::zeros_like(logits).scatter(1, expert, gate);
  expect_golden(dense, output.at("routing_probs"), tolerance, "gates at their experts");
  const auto map = at::zeros_like(expert).new_zeros(logits.sizes()).scatter(1, expert, 1);
  expect_golden(map, output.at("routing_map"), 0, "map");
  expect_golden(map.sum(0), output.at("tokens_per_expert"), 0, "tokens per expert");
  const auto weight = (at::arange(logits.numel(), at::kDouble) + 1).view(logits.sizes()) / logits.numel();
  (dense * weight).sum().backward();
  expect_golden(logits.grad(), output.at("grad_weighted_probs_wrt_logits"), tolerance, "gradient of the gates");
}

}  // namespace

int check_megatron_routing(const nlohmann::json& file) { return replay_cases(file, check); }

}  // namespace duet::test
