#include "cases_capacity.h"
#include "random.h"

namespace duet::lessons::capacity {

namespace {

const Labels of_tokens{.row = "token", .column = "", .rows = {}};
const Labels of_experts{.row = "expert", .column = "", .rows = {}};
constexpr auto* about_first = "Going token by token, a pair stays while its expert has had fewer than limit pairs.";

at::Tensor wishes(const std::vector<std::int64_t>& experts, std::int64_t top_k = 1) {
  return list(experts).reshape({-1, top_k});
}

Values inputs(const Shard& shard) {
  Values in{{"expert", shard.expert},
            {"experts", number(shard.experts)},
            {"minimum", number(shard.rule.minimum)},
            {"drop", number(static_cast<std::int64_t>(shard.rule.drop))},
            {"slot_order", number(static_cast<std::int64_t>(shard.rule.slot_order))}};
  if (shard.rule.factor) in["factor"] = list({shard.rule.factor->numerator, shard.rule.factor->denominator});
  return in;
}

void show_shard(Trial& trial, const Shard& shard) {
  trial.show("expert", shard.expert, of_tokens);
  const auto limit = shard.rule.limit(shard.tokens(), shard.experts, shard.top_k());
  trial.say("  experts: " + std::to_string(shard.experts) +
            ", limit: " + (limit ? std::to_string(*limit) : "no value, the rule has no factor") + "\n");
}

void expect_kept(Trial& trial, const Shard& shard) {
  show_shard(trial, shard);
  const auto right = apply_capacity(routing_of(shard), shard.rule);
  const auto out = trial.run(inputs(shard));
  trial.expect(out, "counts", right.counts, "counts = how many pairs want each expert, dropped ones too.",
               about_counts(shard, right), of_experts);
  trial.expect(out, "mask", right.mask, about_first, about_mask(shard, right), of_tokens);
}

void one_popular(Trial& trial) {
  expect_kept(trial, {.expert = wishes({0, 0, 1, 0, 0, 0}), .experts = 2, .rule = {.factor = Fraction{1, 1}}});
}

void mixed(Trial& trial) {
  expect_kept(trial, {.expert = wishes({1, 0, 1, 1, 0, 1}), .experts = 2, .rule = {.factor = Fraction{1, 1}}});
}

// 7 / 2 is 3.5: rounded down, expert 0 would lose two of five instead of one.
void half_a_place(Trial& trial) {
  expect_kept(trial, {.expert = wishes({0, 0, 1, 0, 0, 1, 0}), .experts = 2, .rule = {.factor = Fraction{1, 1}}});
}

void nobody_wants(Trial& trial) {
  expect_kept(trial, {.expert = wishes({1, 1, 0, 1, 1, 0}), .experts = 4, .rule = {.factor = Fraction{2, 1}}});
}

void two_choices(Trial& trial) {
  expect_kept(trial,
              {.expert = wishes({0, 1, 0, 2, 0, 1, 2, 0, 1, 0}, 2), .experts = 3, .rule = {.factor = Fraction{3, 5}}});
}

void no_limit(Trial& trial) {
  trial.if_it_throws(
      "There is no limit in this case: rule.limit(...) is then an empty std::optional. Look whether it has a value "
      "before you take it; without one, everything stays.");
  expect_kept(trial, {.expert = wishes({0, 0, 0, 0, 0}), .experts = 2, .rule = {}});
}

void least(Trial& trial) {
  expect_kept(trial,
              {.expert = wishes({0, 0, 0, 0, 0, 1}), .experts = 6, .rule = {.factor = Fraction{1, 1}, .minimum = 4}});
}

void no_room(Trial& trial) {
  expect_kept(trial, {.expert = wishes({0, 1, 1}), .experts = 2, .rule = {.factor = Fraction{0, 1}}});
}

void no_tokens(Trial& trial) {
  expect_kept(trial, {.expert = wishes({}), .experts = 3, .rule = {.factor = Fraction{1, 1}}});
}

// Uniform wishes: the argmax of normal numbers.
at::Tensor random_wishes(std::uint64_t seed, std::int64_t tokens, std::int64_t experts, std::int64_t top_k = 1) {
  const auto scores = normal_numbers(seed, {tokens, experts});
  return at::argsort(scores, /*stable=*/true, 1, /*descending=*/true).narrow(1, 0, top_k).contiguous();
}

// All want expert 0 but the last ten, so that place 56 matters.
void decimal_factor(Trial& trial) {
  auto expert = at::zeros({100, 1}, at::kLong);
  expert.narrow(0, 90, 10).fill_(1);
  expect_kept(trial, {.expert = expert, .experts = 2, .rule = {.factor = Fraction{11, 10}}});
}

void many(Trial& trial) {
  expect_kept(trial, {.expert = random_wishes(5, 300, 8, 2), .experts = 8, .rule = {.factor = Fraction{5, 4}}});
}

// A rule that the task does not ask for: right, or refused; never the first pairs, as though nobody had asked.
void expect_done_or_refused(Trial& trial, const Values& in, const at::Tensor& right, const std::string& flag,
                            const std::vector<Suspect>& suspects) {
  const auto out = trial.run(in, "done or refused");
  if (out.contains("refused")) return;
  trial.say("  with " + flag);
  trial.expect(out, "mask", right, "Your code takes " + flag + " and gets it wrong. Throw an error until it is right.",
               suspects, of_tokens);
}

Suspect ignored(const Shard& shard, const std::string& flag) {
  return {mask_with(shard, shard.limit()),
          "Your code ignores " + flag +
              ": the first pairs stay all the same. Write it, or throw an error as the stub "
              "does. Whoever asks for a rule and gets another in silence compares the wrong things."};
}

void other_rules(Trial& trial) {
  Shard shard{.expert = wishes({0, 1, 0, 2, 1, 0, 1, 2, 0, 1}, 2), .experts = 3, .rule = {.factor = Fraction{3, 5}}};
  show_shard(trial, shard);
  auto routing = routing_of(shard);
  routing.gate = at::softmax(normal_numbers(3, {5, 2}), 1);
  routing.draw = at::sigmoid(normal_numbers(4, {5, 2}));
  trial.show("gate", routing.gate, of_tokens);
  trial.show("draw", routing.draw, of_tokens);
  const auto check = [&](const CapacityRule& rule, const std::string& flag) {
    shard.rule = rule;
    auto in = inputs(shard);
    in["gate"] = routing.gate;
    in["draw"] = routing.draw;
    expect_done_or_refused(trial, in, apply_capacity(routing, rule).mask, flag, {ignored(shard, flag)});
  };
  const auto factor = shard.rule.factor;
  check({.factor = factor, .drop = DropPolicy::probability}, "--drop probability");
  check({.factor = factor, .drop = DropPolicy::random}, "--drop random");
  check({.factor = factor, .slot_order = SlotOrder::choice}, "--slot-order choice");
}

// Rank 1 of two: the whole batch has 4 places an expert, and rank 0 has taken three of expert 0's.
void whole_batch(Trial& trial) {
  const CapacityRule rule{.factor = Fraction{1, 1}, .scope = Scope::global};
  const Shard all{.expert = wishes({0, 0, 1, 0, 0, 0, 0, 1}), .experts = 2, .rule = rule};
  const Shard mine{.expert = all.expert.narrow(0, 4, 4).contiguous(), .experts = 2, .rule = rule};
  const GlobalView view{.routing = routing_of(all), .first_token = 4};
  trial.show("expert of the whole batch, of which tokens 4 to 7 are mine", all.expert, of_tokens);
  auto in = inputs(mine);
  in["all expert"] = all.expert;
  in["first_token"] = number(4);
  const std::string flag = "--capacity-scope global";
  expect_done_or_refused(
      trial, in, apply_capacity(routing_of(mine), rule, &view).mask, flag,
      {{mask_with(mine, all.limit()),
        "Every rank gives each expert the capacity of the whole batch, and counts its own pairs only. Together the "
        "ranks then take as many times too much as there are ranks. The order is the batch's too: view holds it."},
       ignored(mine, flag)});
}

// The mean share of dropped pairs, in %, over 1,000 random routings of 64 tokens to 8 experts.
double dropped(Fraction factor) {
  constexpr int routings = 1000;
  std::int64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= routings; ++seed) {
    const Shard shard{.expert = random_wishes(seed, 64, 8), .experts = 8, .rule = {.factor = factor}};
    lost += apply_capacity(routing_of(shard), shard.rule).mask.logical_not().sum().item<std::int64_t>();
  }
  return 100.0 * static_cast<double>(lost) / (64.0 * routings);
}

// Two ranks of 32 tokens; all of rank 0's want expert 0, all of rank 1's expert 1. The share dropped, in %.
double split_by_rank() {
  std::int64_t lost = 0;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    const Shard shard{.expert = at::full({32, 1}, rank, at::kLong), .experts = 2, .rule = {.factor = Fraction{1, 1}}};
    lost += apply_capacity(routing_of(shard), shard.rule).mask.logical_not().sum().item<std::int64_t>();
  }
  return 100.0 * static_cast<double>(lost) / 64.0;
}

}  // namespace

Lesson lesson() {
  return {.slug = "capacity",
          .function = "apply_capacity",
          .cases = {{"six tokens, five want expert 0", one_popular},
                    {"six tokens, four want expert 1", mixed},
                    {"seven tokens: half a place", half_a_place},
                    {"experts that nobody wants", nobody_wants},
                    {"two choices a token", two_choices},
                    {"no limit", no_limit},
                    {"a least capacity", least},
                    {"a factor of 0", no_room},
                    {"no tokens", no_tokens},
                    {"factor 1.1, 100 tokens", decimal_factor},
                    {"300 tokens, 8 experts, two choices", many},
                    {"rules that the task does not ask for", other_rules},
                    {"the whole batch's capacity", whole_batch}},
          .measures = {{"share_at_1",
                        [] {
                          return dropped({1, 1});
                        }},
                       {"share_at_125",
                        [] {
                          return dropped({5, 4});
                        }},
                       {"split_by_rank", split_by_rank}}};
}

}  // namespace duet::lessons::capacity
