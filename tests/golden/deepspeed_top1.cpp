// deepspeed_top1: top1gating against our router, capacity, plan, gate gradient and switch loss. Converted:
// - torch.topk picks any of equal keys there, and the first tokens stay here: `output_first_come` is compared;
// - min_capacity is CapacityRule::minimum;
// - with `used_token`, unused tokens are left out before capacity; DeepSpeed's l_aux divides the counts by all tokens:
//   theirs = ours * used / all, and their capacity, of all tokens, is given as an exact fraction;
// - a call that raises because T < min_capacity is left out: ours gives the minimum.
#include <gtest/gtest.h>

#include <functional>

#include "moe/aux_loss.h"
#include "moe/capacity.h"
#include "moe/exchange_function.h"
#include "moe/plan.h"
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/replay.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

/// One case: logits in, and what DeepSpeed made of them.
struct Case {
  const nlohmann::json& parameters;
  const nlohmann::json& output;      ///< as the library gave it: order-sensitive where more want an expert than fit
  const nlohmann::json& first_come;  ///< the same by first come
  at::Tensor logits;                 ///< [T, E]
  at::Tensor used;                   ///< indexes of the tokens that take part

  std::int64_t experts() const { return logits.size(1); }
};

// The capacity that both use for `tokens` tokens.
CapacityRule rule_of(const Case& one) {
  if (!one.parameters.at("drop_tokens").get<bool>()) return {};
  const auto all = one.logits.size(0);
  const CapacityRule ours{.factor = parse_capacity_factor(one.parameters.at("capacity_factor").dump()),
                          .minimum = one.parameters.at("min_capacity").get<std::int64_t>()};
  const auto capacity = one.first_come.at("capacity").get<std::int64_t>();
  EXPECT_EQ(capacity, *ours.limit(all, one.experts(), 1)) << "capacity";
  if (one.used.size(0) == all) return ours;
  return {Fraction{capacity * one.experts(), one.used.size(0)}};
}

// [T]: `values` at the used tokens, `rest` elsewhere.
at::Tensor spread(const Case& one, const at::Tensor& values, double rest) {
  auto all = at::full({one.logits.size(0)}, rest, values.options());
  return all.index_put_({one.used}, values);
}

// The buffers of all experts: [T, E, C], the gate at its slot.
void check_dense(const Case& one, const at::Tensor& gate, const at::Tensor& expert, const at::Tensor& slot) {
  const auto capacity = one.first_come.at("capacity").get<std::int64_t>();
  auto combine = at::zeros({one.logits.size(0), one.experts(), capacity}, gate.options());
  combine.index_put_({one.used, expert, slot}, gate, /*accumulate=*/true);
  expect_golden(combine, one.first_come.at("combine_weights"), tolerance, "combine_weights");
  expect_golden(combine.ne(0), one.first_come.at("dispatch_mask"), 0, "dispatch_mask");
}

// What is taken before dropping is the same in either order.
void check_aux(const Case& one, const at::Tensor& all_probs, const at::Tensor& counts) {
  const double share_used = static_cast<double>(one.used.size(0)) / static_cast<double>(one.logits.size(0));
  const auto aux = switch_loss(all_probs, counts) * share_used;
  aux.backward({}, /*retain_graph=*/true);
  for (const auto& golden : {std::cref(one.first_come), std::cref(one.output)}) {
    const auto& output = golden.get();
    EXPECT_EQ(output.at("capacity"), one.first_come.at("capacity"));
    expect_golden(counts, output.at("exp_counts"), 0, "counts before dropping");
    expect_golden(aux.item<double>(), number_of(output.at("l_aux").at("data").at(0)), tolerance, "l_aux");
    expect_golden(one.logits.grad(), output.at("grad_l_aux_wrt_logits"), tolerance, "gradient of l_aux");
  }
}

void check(const Case& one) {
  const auto all_probs = at::softmax(one.logits, 1);
  const auto logits = one.logits.index_select(0, one.used);
  const auto probs = all_probs.index_select(0, one.used);
  const auto choice = choose_top_k(probs.detach(), {.k = 1});
  const Routing routing{logits, probs, choice.expert, choice.gate};
  const auto kept = apply_capacity(routing, rule_of(one));
  if (!one.parameters.at("drop_tokens").get<bool>()) {
    EXPECT_EQ(kept.counts.max().item<std::int64_t>(), one.first_come.at("capacity")) << "capacity without dropping";
  }
  const auto plan = make_plan(choice.expert, kept, {.experts = one.experts(), .ranks = 1});
  const auto mask = kept.mask.view(-1);
  const auto expert = choice.expert.view(-1);
  std::vector<std::int64_t> starts{0};
  for (const auto rows : plan.send_rows) starts.push_back(starts.back() + rows);
  const auto first_row = at::from_blob(starts.data(), {one.experts()}, at::kLong).index_select(0, expert);
  const auto slot = (plan.position.view(-1) - first_row) * mask;
  const auto gate = chosen_probability(routing).view(-1) * mask;
  const auto& sparse = one.first_come.at("sparse");
  expect_golden(spread(one, at::where(mask, expert, -1), -1).unsqueeze(0), sparse.at("expert_index"), 0, "experts");
  expect_golden(spread(one, slot, 0).unsqueeze(0), sparse.at("slot"), 0, "slots in the expert's buffer");
  expect_golden(spread(one, gate.detach(), 0).unsqueeze(0), sparse.at("gate"), tolerance, "gates");

  check_dense(one, at::where(mask, gate.detach(), 0), expert, slot);
  check_aux(one, all_probs, kept.counts);

  one.logits.mutable_grad() = at::Tensor();
  const auto weight = (one.used + 1) * (expert + 1);  // of combine[s, e, c]
  (gate * weight).sum().backward();
  expect_golden(one.logits.grad(), one.first_come.at("grad_weighted_combine_wrt_logits"), tolerance,
                "gradient of combine");
}

}  // namespace

int check_deepspeed_top1(const nlohmann::json& file) {
  return replay_cases(file, [](const nlohmann::json& one) {
    const auto& parameters = one.at("made_by").at("parameters");
    const auto logits = tensor_of(one.at("input").at("logits")).requires_grad_(true);
    const auto used = parameters.contains("used_token") ? tensor_of(parameters.at("used_token")).nonzero().view(-1)
                                                        : at::arange(logits.size(0), at::kLong);
    check({parameters, one.at("output"), first_come_of(one), logits, used});
  });
}

}  // namespace duet::test
