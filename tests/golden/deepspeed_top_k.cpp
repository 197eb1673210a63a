// deepspeed_top2 and deepspeed_topk: top2gating and topkgating against our router, capacity and switch loss. Converted:
// - top2gating chooses by logits (argmax, and argmax of the rest), topkgating by probabilities; they part only where
//   probabilities underflow to 0, so top2's choice is made by our rule from the logits;
// - top2gating's slots go to all first choices before any second one (SlotOrder::choice), topkgating's token by token;
// - the gates are divided by the sum over the choices that SURVIVED, at least the float32 epsilon; ours by the sum over
//   the chosen, before dropping. Their division is done here, on our gates and our mask;
// - "probs" keeps the highest gates (DropPolicy::probability), and kept tokens fill the slots in token order;
// - l_aux of top2gating takes f from the first choices only; topkgating's counts all k and divides by k, as ours;
// - a gate that underflows to 0 takes a slot, but dispatch_mask is false there: the mask is compared as gate != 0.
#include <gtest/gtest.h>

#include <limits>

#include "moe/aux_loss.h"
#include "moe/capacity.h"
#include "moe/exchange_function.h"
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/replay.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

struct System {
  std::int64_t k = 2;
  SlotOrder order = SlotOrder::choice;
  DropPolicy drop = DropPolicy::position;
  bool by_logits = true;
  bool first_choice_only = true;  // in l_aux
};

// [T, k]: the number of kept pairs of the same expert that come before, and 0 for a dropped one.
at::Tensor slots_of(const at::Tensor& expert, const at::Tensor& mask, std::int64_t experts, SlotOrder order) {
  const auto in_order = [&](const at::Tensor& pairs) {
    return (order == SlotOrder::choice ? pairs.t() : pairs).reshape({-1});
  };
  const auto pairs = in_order(expert);
  const auto taken = at::one_hot(pairs, experts) * in_order(mask).to(at::kLong).unsqueeze(1);
  const auto slot = taken.cumsum(0).gather(1, pairs.unsqueeze(1)).view(-1) - 1;
  const auto tokens = expert.size(0);
  const auto k = expert.size(1);
  const auto by_pair = order == SlotOrder::choice ? slot.view({k, tokens}).t() : slot.view({tokens, k});
  return at::where(mask, by_pair, 0);
}

CapacityRule rule_of(const nlohmann::json& parameters, const System& system) {
  CapacityRule rule{.factor = {}, .drop = system.drop, .slot_order = system.order};
  if (!parameters.at("drop_tokens").get<bool>()) return rule;
  rule.factor = parse_capacity_factor(parameters.at("capacity_factor").dump());
  rule.minimum = parameters.at("min_capacity").get<std::int64_t>();
  return rule;
}

void check_gates(const nlohmann::json& output, const at::Tensor& logits, const Routing& routing, const Kept& kept,
                 const System& system) {
  const auto experts = logits.size(1);
  const auto capacity = output.at("capacity").get<std::int64_t>();
  const auto survived = chosen_probability(routing) * kept.mask;
  const auto sum = survived.sum(1, /*keepdim=*/true);
  const auto gate = survived / at::clamp(sum, std::numeric_limits<float>::epsilon(), std::nullopt);
  const auto slot = slots_of(routing.expert, kept.mask, experts, system.order);
  const auto& sparse = output.at("sparse");
  expect_golden(at::where(kept.mask, routing.expert, -1).t(), sparse.at("expert_index"), 0, "experts");
  expect_golden(slot.t(), sparse.at("slot"), 0, "slots in the expert's buffer");
  expect_golden(gate.t(), sparse.at("gate"), tolerance, "gates");

  auto combine = at::zeros({logits.size(0), experts, capacity}, logits.options().requires_grad(false));
  const auto token = at::arange(logits.size(0), at::kLong).unsqueeze(1).expand_as(slot);
  combine.index_put_({token, routing.expert, slot}, gate.detach(), /*accumulate=*/true);
  expect_golden(combine, output.at("combine_weights"), tolerance, "combine_weights");
  expect_golden(combine.ne(0), output.at("dispatch_mask"), 0, "dispatch_mask");

  (gate * ((token + 1) * (routing.expert + 1))).sum().backward();
  expect_golden(logits.grad(), output.at("grad_weighted_combine_wrt_logits"), tolerance, "gradient of combine");
}

void check(const nlohmann::json& one, const System& system) {
  const auto& parameters = one.at("made_by").at("parameters");
  const auto& output = first_come_of(one);
  const auto logits = tensor_of(one.at("input").at("logits")).requires_grad_(true);
  const auto experts = logits.size(1);
  const auto probs = at::softmax(logits, 1);
  const auto expert = choose_top_k((system.by_logits ? logits : probs).detach(), {.k = system.k}).expert;
  const Routing routing{logits, probs, expert, probs.detach().gather(1, expert)};
  const auto rule = rule_of(parameters, system);
  const auto kept = apply_capacity(routing, rule);
  const auto limit = rule.limit(logits.size(0), experts, system.k);
  EXPECT_EQ(limit ? *limit : kept.counts.max().item<std::int64_t>(), output.at("capacity").get<std::int64_t>());
  expect_golden(kept.counts, output.at("exp_counts"), 0, "counts before dropping");

  const auto first = at::bincount(expert.select(1, 0).contiguous(), {}, experts);
  const auto aux = switch_loss(probs, system.first_choice_only ? first : kept.counts);
  expect_golden(aux, output.at("l_aux"), tolerance, "l_aux");
  aux.backward({}, /*retain_graph=*/true);
  expect_golden(logits.grad(), output.at("grad_l_aux_wrt_logits"), tolerance, "gradient of l_aux");
  logits.mutable_grad() = at::Tensor();
  check_gates(output, logits, routing, kept, system);
}

}  // namespace

int check_deepspeed_top2(const nlohmann::json& file) {
  return replay_cases(file, [](const nlohmann::json& one) { check(one, {}); });
}

int check_deepspeed_topk(const nlohmann::json& file) {
  return replay_cases(file, [](const nlohmann::json& one) {
    const auto& parameters = one.at("made_by").at("parameters");
    const bool by_gate = parameters.at("drop_policy") == "probs";
    check(one, {.k = parameters.at("k").get<std::int64_t>(),
                .order = SlotOrder::token,
                .drop = by_gate ? DropPolicy::probability : DropPolicy::position,
                .by_logits = false,
                .first_choice_only = false});
  });
}

}  // namespace duet::test
