#include <fmt/format.h>

#include "cases_router.h"
#include "moe/gate_backward.h"
#include "random.h"
#include "train/dataset.h"
#include "train/model.h"

namespace duet::lessons::router {

namespace {

const Labels of_tokens{.row = "token", .column = "", .rows = {}};
const Labels of_logits{.row = "token", .column = "expert", .rows = {}};
const Labels of_experts{.row = "expert", .column = "", .rows = {}};

at::Tensor vector_of(const std::vector<double>& values) { return table({values}).reshape({-1}); }

Values router(const at::Tensor& x, const at::Tensor& weight) {
  return {{"x", x},
          {"weight", weight},
          {"bias", at::zeros({weight.size(0)}, weight.options())},
          {"top_k", number(1)},
          {"renormalize", number(0)},
          {"constant_gate", number(0)}};
}

Values random_router(std::uint64_t seed, std::int64_t tokens, std::int64_t experts, std::int64_t dim) {
  auto in = router(normal_numbers(seed, {tokens, dim}), normal_numbers(seed + 1, {experts, dim}));
  in["bias"] = normal_numbers(seed + 2, {experts});
  return in;
}

void show_router(Trial& trial, const Values& in) {
  trial.show("x", in.at("x"), of_tokens);
  trial.show("weight", in.at("weight"), of_experts);
  for (const auto* name : {"bias", "choice_bias"}) {
    if (in.contains(name)) trial.show(name, in.at(name), of_experts);
  }
  if (in.contains("noise")) trial.show("noise", in.at("noise"), of_logits);
  if (!in.contains("bias")) trial.say("  bias: undefined, this router has none");
  if (number_in(in, "top_k") != 1) trial.say("  top_k is " + cell(in.at("top_k")));
  if (number_in(in, "renormalize") != 0) trial.say("  renormalize is on");
}

constexpr auto* about_softmax =
    "probs = softmax of the logits over the experts: each token's probabilities add up to 1.";

void expect_routing(Trial& trial, const Values& in, const std::string& about_probabilities = about_softmax) {
  show_router(trial, in);
  const auto expected = right(in);
  const auto out = trial.run(in);
  trial.expect(out, "logits", expected.logits, "logits = x · weightᵀ + bias, plus the noise if there is any.",
               about_logits(in), of_tokens);
  trial.expect(out, "probs", expected.probs, about_probabilities, about_probs(in), of_tokens);
  trial.show("probs", expected.probs, of_logits);
  trial.expect(
      out, "expert", expected.expert,
      "expert = where each token's score is highest; at a tie, the lowest index (at::argmax gives it, topk need not).",
      about_expert(in), of_tokens);
  trial.expect(out, "gate", expected.gate, "gate = the probability of the chosen expert.", about_gate(in), of_tokens);
}

void one_token(Trial& trial) { expect_routing(trial, router(table({{1, 1}}), table({{1, 0}, {0, 2}}))); }

void three_experts(Trial& trial) {
  auto in = router(table({{1, 1}, {2, 0}, {0, -1}}), table({{1, 0}, {0, 2}, {1, 1}}));
  in["bias"] = vector_of({0.5, 0, -1});
  expect_routing(trial, in);
}

void ties(Trial& trial) {
  trial.say("  All weights are 0: no expert is better than another.");
  expect_routing(trial, router(table({{1, 2}, {3, 4}, {5, 6}}), at::zeros({4, 2}, at::kDouble)));
}

void tie_of_two(Trial& trial) {
  expect_routing(trial, router(table({{1, 0}, {0, 1}}), table({{0, 0}, {1, 2}, {1, 1}, {0, 2}})));
}

void no_bias(Trial& trial) {
  auto in = random_router(21, 3, 2, 2);
  in.erase("bias");
  trial.if_it_throws(
      "This router has no bias: weights.bias is then an undefined tensor. Ask weights.bias.defined() before "
      "you add it; at::linear takes an undefined bias as none.");
  expect_routing(trial, in);
}

void with_noise(Trial& trial) {
  auto in = router(table({{1, 1}, {2, 0}}), table({{1, 0}, {0, 2}}));
  in["noise"] = table({{0.5, -1}, {-3, 0}});
  expect_routing(trial, in);
}

void large_logits(Trial& trial) {
  expect_routing(trial, router(table({{1000, 0}, {-1000, 999}}), table({{1, 0}, {0, 1}})),
                 "exp(1000) is more than a double can hold, exp(-1000) is 0, and infinity / infinity or 0 / 0 is NaN. "
                 "Take each row's largest logit away first; the probabilities stay the same. at::softmax does so.");
}

void two_choices(Trial& trial) {
  auto in = random_router(31, 4, 3, 2);
  in["top_k"] = number(2);
  expect_routing(trial, in);
}

void renormalised(Trial& trial) {
  auto in = random_router(41, 4, 3, 2);
  in["top_k"] = number(2);
  in["renormalize"] = number(1);
  expect_routing(trial, in);
}

// Megatron-LM #894: at top-1 a renormalised gate is always 1, so the rule refuses it unless told that it is meant.
void gates_of_one(Trial& trial) {
  auto in = random_router(51, 3, 3, 2);
  in["renormalize"] = number(1);
  in["constant_gate"] = number(1);
  expect_routing(trial, in);
  in["constant_gate"] = number(0);
  trial.say("  and once more with constant_gate off");
  trial.require(number_in(trial.run(in, "refuse"), "refused") == 1,
                "renormalize at top_k 1 without constant_gate makes a router that never learns: choose_by_rule throws "
                "an InputError. Let it.");
}

void choice_bias(Trial& trial) {
  auto in = router(table({{1, 1}, {2, 0}}), table({{1, 0}, {0, 2}}));
  in["choice_bias"] = vector_of({0.5, -0.25});
  expect_routing(trial, in);
}

void no_tokens(Trial& trial) { expect_routing(trial, router(at::zeros({0, 3}, at::kDouble), table({{1, 0, 0}}))); }

void many_in_float(Trial& trial) {
  auto in = random_router(61, 200, 8, 16);
  for (const auto* name : {"x", "weight", "bias"}) in[name] = in[name].to(at::kFloat);
  expect_routing(trial, in);
}

// How the loss reaches the router: through one of the outputs, to the logits, and from there to what made them.
void expect_gradients(Trial& trial, Values in, const std::string& from, const at::Tensor& to_logits,
                      const std::string& why) {
  const auto expected = right(in);
  const auto out = trial.run(in, from);
  const auto& value = from == "gate" ? expected.gate : from == "probs" ? expected.probs : expected.logits;
  trial.expect(out, from, value, "The output changed when gradients were asked for.", {}, of_tokens);
  const std::vector<std::pair<std::string, at::Tensor>> gradients{{"gradient of weight", to_logits.t().mm(in["x"])},
                                                                  {"gradient of bias", to_logits.sum(0)},
                                                                  {"gradient of x", to_logits.mm(in["weight"])}};
  for (const auto& [name, gradient] : gradients) {
    trial.require(
        out.contains(name),
        fmt::format("The {} is right, but autograd lost track of it: there is no {}. {} Use tensor operations "
                    "only, without item(), data_ptr or detach().",
                    from, name, why));
    trial.expect(out, name, gradient, fmt::format("The gradient that comes back from the {} differs. {}", from, why));
  }
}

void learns_from_the_gate(Trial& trial) {
  auto in = random_router(71, 5, 4, 3);
  in["gradient"] = normal_numbers(75, {5, 1});
  show_router(trial, in);
  const auto expected = right(in);
  expect_gradients(
      trial, in, "gate", logits_backward(in["gradient"], expected.probs, expected.expert),
      "The gate is the only way by which the model's loss reaches the router: like this, the router never learns. "
      "The choice is a whole number and has no gradient, so gather the gate from probs.");
}

void learns_from_the_rest(Trial& trial) {
  auto in = random_router(81, 5, 4, 3);
  in["gradient"] = normal_numbers(85, {5, 4});
  show_router(trial, in);
  const auto probs = right(in).probs;
  const auto& gradient = in["gradient"];
  const auto through_softmax = probs * (gradient - (gradient * probs).sum(1, /*keepdim=*/true));
  expect_gradients(trial, in, "probs", through_softmax, "The losses that balance the experts read probs.");
  expect_gradients(trial, in, "logits", gradient, "The z-loss reads the logits.");
}

// The share of the most popular expert among 64 tokens, in %, over 1,000 fresh models on `random` data.
double larger_share(std::int64_t experts) {
  constexpr std::int64_t dim = 32, tokens = 64;
  constexpr int models = 1000;
  const at::NoGradGuard no_grad;
  const ModelConfig config{.dim = dim, .hidden = 1, .experts = experts};
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= models; ++seed) {
    const auto model = make_model(config, seed, make_layout({.dp = 1, .ep = 1}, experts), 0, at::kDouble);
    const auto x = normal_numbers(seed, {tokens, dim});
    const auto expert = route(x, model.layers.front().router).expert.reshape({-1});
    sum += static_cast<double>(at::bincount(expert, {}, experts).max().item<std::int64_t>());
  }
  return 100 * sum / tokens / models;
}

// Index of the choice: 0 as before, 1 more slowly, 2 not at all.
double what_a_gate_of_one_teaches() {
  const auto gradient = [](bool renormalize) {
    const auto weight = normal_numbers(2, {2, 8}).requires_grad_(true);
    route(normal_numbers(1, {64, 8}), {.weight = weight, .bias = {}, .renormalize = renormalize, .constant_gate = true})
        .gate.backward(normal_numbers(3, {64, 1}));
    return weight.grad().abs().max().item<double>();
  };
  const auto with = gradient(true), without = gradient(false);
  return with < 1e-12 * without ? 2 : with < without ? 1 : 0;
}

}  // namespace

Lesson lesson() {
  return {.slug = "router",
          .function = "route",
          .cases = {{"one token, two experts", one_token},
                    {"three tokens, three experts, a bias", three_experts},
                    {"a tie of all", ties},
                    {"a tie of two", tie_of_two},
                    {"a router without a bias", no_bias},
                    {"noise on the logits", with_noise},
                    {"large logits", large_logits},
                    {"two experts a token", two_choices},
                    {"two experts a token, renormalised", renormalised},
                    {"gates of 1, on purpose", gates_of_one},
                    {"a bias on the choice", choice_bias},
                    {"no tokens", no_tokens},
                    {"200 tokens, 8 experts, float32", many_in_float},
                    {"how the router learns: the gate's gradient", learns_from_the_gate},
                    {"what auxiliary losses need: gradients of probs and logits", learns_from_the_rest}},
          .measures = {{"larger_share_of_2", [] { return larger_share(2); }},
                       {"larger_share_of_8", [] { return larger_share(8); }},
                       {"gate_of_one", what_a_gate_of_one_teaches}}};
}

}  // namespace duet::lessons::router
