#include <fmt/format.h>

#include "cases_plan.h"
#include "moe/capacity.h"
#include "random.h"

namespace duet::lessons::plan {

namespace {

// "rank 0 holds experts 0 1, rank 1 holds experts 2 3"
std::string who_holds_what(const Placement& placement) {
  std::string text = " ";
  for (int rank = 0; rank < placement.ranks; ++rank) {
    text += fmt::format("{} rank {} holds expert{}", rank == 0 ? "" : ",", rank, placement.per_rank() == 1 ? "" : "s");
    for (std::int64_t i = 0; i < placement.per_rank(); ++i) text += fmt::format(" {}", placement.first_on(rank) + i);
  }
  return text + "\n";
}

void show_routing(Trial& trial, const Values& in) {
  const auto choices = in.at("expert").size(1) > 1 ? "choice" : "";
  trial.say(who_holds_what(placement_of(in)));
  trial.show("expert", in.at("expert"), {.row = "token", .column = choices, .rows = {}});
  if (!in.at("kept").all().item<bool>()) {
    trial.show("kept", in.at("kept"), {.row = "token", .column = choices, .rows = {}});
  }
}

// "row 0, for expert 1": true of both sides only where they have equally many rows.
Labels rows_of(const SendPlan& plan, bool same_shape) {
  Labels labels{.row = "row", .column = "", .rows = {}};
  if (!same_shape) return labels;
  for (std::size_t expert = 0; expert < plan.send_rows.size(); ++expert) {
    for (std::int64_t i = 0; i < plan.send_rows[expert]; ++i) {
      labels.rows.push_back(fmt::format("row {}, for expert {}", labels.rows.size(), expert));
    }
  }
  return labels;
}

void expect_plan(Trial& trial, const Values& in) {
  const auto plan = right(in);
  show_routing(trial, in);
  const auto out = trial.run(in);
  const auto given = out.contains("order") ? out.at("order") : at::Tensor(plan.order);
  trial.expect(out, "order", plan.order,
               "order lists the kept pairs: those for rank 0 first, and within a rank by expert, and within an expert "
               "in pair order.",
               wrong_orders(in, plan, given), rows_of(plan, given.sizes() == plan.order.sizes()));
  trial.expect(out, "send_rows", list(plan.send_rows),
               "send_rows has a number for each expert: how many kept pairs chose it.", wrong_send_rows(in, plan),
               {.row = "expert", .column = "", .rows = {}});
  trial.expect(out, "position", plan.position,
               "position is the inverse of order: position[order[i]] = i. A dropped pair has N, the number of rows.",
               wrong_positions(in, plan), {.row = "token", .column = "", .rows = {}});
  trial.expect(out, "placement", list({plan.placement.experts, plan.placement.ranks}),
               "The plan carries the placement that it was made for: return the one that was given.");
}

void one_expert_a_rank(Trial& trial) { expect_plan(trial, routing({1, 0, 1, 0, 0}, 1, {.experts = 2, .ranks = 2})); }

void a_dropped_token(Trial& trial) {
  expect_plan(trial, without_pairs(routing({0, 0, 1, 0}, 1, {.experts = 2, .ranks = 2}), {1}));
}

// Three experts a rank: with two, groups by the local expert and experts dealt out like cards look the same.
void several_experts_a_rank(Trial& trial) {
  expect_plan(trial, routing({5, 0, 3, 1, 4, 2, 0, 3}, 1, {.experts = 6, .ranks = 2}));
}

void nobody_chose_it(Trial& trial) { expect_plan(trial, routing({2, 0, 2}, 1, {.experts = 4, .ranks = 2})); }

void two_choices(Trial& trial) { expect_plan(trial, routing({0, 2, 2, 1, 0, 3}, 2, {.experts = 4, .ranks = 2})); }

void two_choices_one_dropped(Trial& trial) {
  expect_plan(trial, without_pairs(routing({0, 2, 2, 1, 0, 3, 2, 0}, 2, {.experts = 4, .ranks = 2}), {4, 6}));
}

void no_tokens(Trial& trial) { expect_plan(trial, routing({}, 1, {.experts = 2, .ranks = 2})); }

void all_dropped(Trial& trial) {
  expect_plan(trial, without_pairs(routing({0, 1, 1}, 1, {.experts = 2, .ranks = 2}), {0, 1, 2}));
}

// A routing as the product makes it, with capacity 1: some experts are full and some are not.
Values drawn(std::uint64_t seed, std::int64_t tokens, std::int64_t top_k, const Placement& placement) {
  const auto routed = route(normal_numbers(seed, {tokens, 4}),
                            {.weight = normal_numbers(seed + 1, {placement.experts, 4}), .bias = {}, .top_k = top_k});
  CapacityRule rule;
  rule.factor = Fraction{.numerator = 1, .denominator = 1};
  const auto kept = apply_capacity(routed, rule);
  return {{"expert", routed.expert},
          {"kept", kept.mask},
          {"counts", kept.counts},
          {"experts", number(placement.experts)},
          {"ranks", number(placement.ranks)}};
}

void one_rank(Trial& trial) { expect_plan(trial, drawn(3, 20, 1, {.experts = 4, .ranks = 1})); }

void many_tokens(Trial& trial) {
  expect_plan(trial, drawn(5, 300, 1, {.experts = 4, .ranks = 2}));
  expect_plan(trial, drawn(7, 300, 2, {.experts = 12, .ranks = 3}));
}

void no_such_expert(Trial& trial) {
  auto in = routing({0, 1, 0}, 1, {.experts = 2, .ranks = 2});
  in["expert"] = list({0, 2, 0}).reshape({-1, 1});
  show_routing(trial, in);
  trial.expect_input_error(
      in,
      "Token 1 chose expert 2, and there are experts 0 and 1 only. A plan for it would lose the token without a word: "
      "throw InputError(\"...\") (core/error.h).");
}

// Eight tokens, four experts, two ranks, room for two each: the routing of the first two questions.
SendPlan eight_tokens() {
  const auto expert = list({3, 0, 2, 3, 1, 3, 0, 2}).reshape({-1, 1});
  CapacityRule rule;
  rule.factor = Fraction{.numerator = 1, .denominator = 1};
  const Routing routed{
      .logits = at::zeros({8, 4}), .probs = at::zeros({8, 4}), .expert = expert, .gate = at::ones({8, 1}), .draw = {}};
  return make_plan(expert, apply_capacity(routed, rule), place_in_blocks(4, 2));
}

double rows_to_rank_1() {
  const auto plan = eight_tokens();
  return static_cast<double>(plan.send_rows[2] + plan.send_rows[3]);
}

double row_of_token_7() { return static_cast<double>(eight_tokens().position[7][0].item<std::int64_t>()); }

std::int64_t rows_sent_to(std::size_t rank, std::mt19937_64& generator) {
  std::vector<std::int64_t> expert(64);
  for (auto& one : expert) one = static_cast<std::int64_t>(generator() % 4);
  const auto plan = right(routing(expert, 1, {.experts = 4, .ranks = 2}));
  return plan.send_rows[2 * rank] + plan.send_rows[2 * rank + 1];
}

double share_of_equal_exchanges() {
  std::mt19937_64 generator(11);
  int equal = 0;
  constexpr int steps = 10'000;
  for (int i = 0; i < steps; ++i) {
    const auto there = rows_sent_to(1, generator);
    if (there == rows_sent_to(0, generator)) ++equal;
  }
  return 100.0 * equal / steps;
}

}  // namespace

Lesson lesson() {
  return {
      .slug = "plan",
      .function = "make_plan",
      .cases = {{"five tokens, an expert on each of two ranks", one_expert_a_rank},
                {"a dropped token", a_dropped_token},
                {"three experts on each rank", several_experts_a_rank},
                {"experts that nobody chose", nobody_chose_it},
                {"two choices a token", two_choices},
                {"two choices, two pairs dropped", two_choices_one_dropped},
                {"no tokens", no_tokens},
                {"every token dropped", all_dropped},
                {"20 tokens on one rank", one_rank},
                {"300 tokens, two and three ranks", many_tokens},
                {"an expert that is not there", no_such_expert}},
      .measures = {
          {"rows_to_rank_1", rows_to_rank_1}, {"row_of_token_7", row_of_token_7}, {"equal", share_of_equal_exchanges}}};
}

}  // namespace duet::lessons::plan
