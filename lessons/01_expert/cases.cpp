#include "moe/expert.h"

#include "lesson.h"
#include "moe/plan.h"
#include "moe/router.h"
#include "random.h"

namespace duet::lessons::expert {

namespace {

const Labels of_tokens{.row = "token", .column = "", .rows = {}};

at::Tensor vector_of(const std::vector<double>& values) { return table({values}).reshape({-1}); }

// Two dimensions and two hidden units: sums that can be done in the head. hidden = (a + 2b, b), out = (h0, h0 + h1).
Values small_expert() {
  return {{"w1", table({{1, 2}, {0, 1}})},
          {"b1", vector_of({0, 0})},
          {"w2", table({{1, 0}, {1, 1}})},
          {"b2", vector_of({0, 0})}};
}

// dim 3 and hidden 4 differ, so that a matrix the wrong way round does not fit.
Values random_expert(std::uint64_t seed) {
  return {{"w1", normal_numbers(seed, {4, 3})},
          {"b1", normal_numbers(seed + 1, {4})},
          {"w2", normal_numbers(seed + 2, {3, 4})},
          {"b2", normal_numbers(seed + 3, {3})}};
}

at::Tensor right(const Values& in) {
  return expert_forward(in.at("rows"), {in.at("w1"), in.at("b1"), in.at("w2"), in.at("b2")});
}

Values without(const Values& in, const std::string& bias) {
  auto changed = in;
  changed[bias] = at::zeros_like(in.at(bias));
  return changed;
}

at::Tensor hidden_of(const Values& in) { return at::linear(in.at("rows"), in.at("w1"), in.at("b1")); }

// The answers of those who took a wrong turn. Transposed weights only fit where dim equals hidden.
std::vector<Suspect> wrong_turns(const Values& in) {
  const auto second = [&](const at::Tensor& hidden) { return at::linear(hidden, in.at("w2"), in.at("b2")); };
  std::vector<Suspect> suspects{
      {right(without(without(in, "b1"), "b2")),
       "Both biases are missing: this is w2 · relu(w1 · row). A linear layer adds its bias: w · row + b."},
      {right(without(in, "b1")), "The first bias b1 is missing. It is added before the ReLU: relu(w1 · row + b1)."},
      {right(without(in, "b2")), "The second bias b2 is missing. It is added last: w2 · hidden + b2."},
      {second(hidden_of(in)),
       "The ReLU is missing. Without it two linear layers are one linear layer, however wide the middle is."},
      {at::relu(second(hidden_of(in))),
       "The ReLU stands after the second layer. It belongs between the two: then the output may be negative, and the "
       "hidden values may not."},
      {at::relu(right(in)), "There is a ReLU after the second layer too. The last layer's output may be negative."}};
  if (in.at("w1").size(0) == in.at("w1").size(1)) {
    const auto hidden = at::relu(in.at("rows").mm(in.at("w1")) + in.at("b1"));
    suspects.push_back({hidden.mm(in.at("w2")) + in.at("b2"),
                        "The weights are multiplied as they lie. torch stores a weight as [out, in], so a row is "
                        "multiplied by its transpose: at::linear(rows, w, b) does that, rows.mm(w.t()) + b too."});
  }
  return suspects;
}

void show_expert(Trial& trial, const Values& in) {
  trial.show("rows", in.at("rows"), of_tokens);
  trial.show("w1", in.at("w1"), {.row = "hidden", .column = "", .rows = {}});
  trial.show("b1", in.at("b1"), {.row = "hidden", .column = "", .rows = {}});
  trial.show("w2", in.at("w2"), {.row = "out", .column = "", .rows = {}});
  trial.show("b2", in.at("b2"), {.row = "out", .column = "", .rows = {}});
}

void expect_forward(Trial& trial, const Values& in) {
  show_expert(trial, in);
  trial.expect(trial.run(in), "out", right(in), "out = w2 · relu(w1 · row + b1) + b2, for each row by itself.",
               wrong_turns(in), of_tokens);
}

void one_row(Trial& trial) {
  auto in = small_expert();
  in["rows"] = table({{3, 1}});
  expect_forward(trial, in);
}

void negative_hidden(Trial& trial) {
  auto in = small_expert();
  in["rows"] = table({{3, 1}, {-3, 1}, {1, -1}});
  in["w2"] = table({{1, 0}, {1, -1}});
  expect_forward(trial, in);
}

void with_biases(Trial& trial) {
  auto in = small_expert();
  in["rows"] = table({{3, 1}, {-3, 1}});
  in["b1"] = vector_of({10, -5});
  in["b2"] = vector_of({-100, 0.5});
  expect_forward(trial, in);
}

void hidden_is_wider(Trial& trial) {
  auto in = random_expert(1);
  in["rows"] = normal_numbers(9, {5, 3});
  expect_forward(trial, in);
}

void no_rows(Trial& trial) {
  auto in = random_expert(1);
  in["rows"] = at::zeros({0, 3}, at::kDouble);
  trial.say("  no token chose this expert: rows [0, 3]");
  trial.expect(trial.run(in), "out", in["rows"],
               "An expert that nobody chose returns no rows: [0, dim], not an error.");
}

void single_precision(Trial& trial) {
  Values in;
  for (const auto& [name, weight] : random_expert(5)) in[name] = weight.to(at::kFloat);
  in["rows"] = normal_numbers(6, {4, 3}).to(at::kFloat);
  expect_forward(trial, in);
}

// Training asks for gradients of everything, so nothing may be detached, copied out or overwritten.
void gradients(Trial& trial) {
  auto in = random_expert(7);
  in["rows"] = normal_numbers(11, {3, 3});
  in["gradient"] = normal_numbers(12, {3, 3});
  const auto before = hidden_of(in);
  const auto hidden = at::relu(before);
  const auto to_hidden = in["gradient"].mm(in["w2"]) * before.gt(0).to(at::kDouble);
  const Values expected{{"gradient of w2", in["gradient"].t().mm(hidden)},
                        {"gradient of b2", in["gradient"].sum(0)},
                        {"gradient of w1", to_hidden.t().mm(in["rows"])},
                        {"gradient of b1", to_hidden.sum(0)},
                        {"gradient of rows", to_hidden.mm(in["w1"])}};
  const auto out = trial.run(in, "backward");
  trial.expect(out, "out", right(in), "The output changed when gradients were asked for.", wrong_turns(in));
  for (const auto& [name, gradient] : expected) {
    trial.require(out.contains(name), "There is no " + name +
                                          ": autograd lost track. Use tensor operations only, on the tensors that were "
                                          "given, without data_ptr, item() or detach().");
    trial.expect(out, name, gradient, "The gradient differs, though the output is right.");
  }
}

// Every rank must bring a gradient for each parameter to the next exchange, even one of zeros.
void gradients_without_rows(Trial& trial) {
  auto in = random_expert(7);
  in["rows"] = at::zeros({0, 3}, at::kDouble);
  in["gradient"] = at::zeros({0, 3}, at::kDouble);
  trial.say("  no token chose this expert: rows [0, 3]");
  const auto out = trial.run(in, "backward");
  trial.expect(out, "out", in["rows"], "An expert that nobody chose returns no rows: [0, dim].");
  for (const auto* name : {"w1", "b1", "w2", "b2"}) {
    const auto gradient = std::string("gradient of ") + name;
    trial.require(out.contains(gradient),
                  "An expert that nobody chose still has gradients: zeros. Here " + std::string(name) +
                      " has none, so it took no part in the result. Other ranks average gradients with this one, and "
                      "would wait for it for ever. No special case is needed: linear takes [0, dim] as it is.");
    trial.expect(out, gradient, at::zeros_like(in.at(name)), "Without rows, the gradient is zero.");
  }
}

double parameters() {
  constexpr std::int64_t dim = 32, hidden = 64;
  const auto numel = [](at::IntArrayRef sizes) { return at::zeros(sizes).numel(); };
  return static_cast<double>(numel({hidden, dim}) + numel({hidden}) + numel({dim, hidden}) + numel({dim}));
}

// A multiplication and an addition for each weight.
double flops_a_token() { return 2.0 * 32 * 64 * 2; }

// Rows that pass through some expert in one step of two ranks: each rank's shard is routed and planned by the product.
std::int64_t rows_through_experts(const Placement& placement) {
  std::vector<std::int64_t> rows_of_rank(2, 0);
  for (std::uint64_t source = 0; source < 2; ++source) {
    const auto routed = route(normal_numbers(20 + source, {64, 32}),
                              {.weight = normal_numbers(30, {placement.experts, 32}), .bias = {}});
    const Kept all{.mask = at::ones_like(routed.expert, at::kBool), .counts = {}};
    const Plan plan{make_plan(routed.expert, all, placement), {}};
    const auto to_ranks = plan.rows_to_ranks();
    // Under data parallelism every rank holds all experts, and its group is itself alone.
    for (std::size_t to = 0; to < to_ranks.size(); ++to) {
      rows_of_rank[placement.ranks == 1 ? source : to] += to_ranks[to];
    }
  }
  return rows_of_rank[0] + rows_of_rank[1];
}

// The index of the right choice: yes, it halves them; no, they are the same; no, it doubles them.
double does_ep_halve_the_flops() {
  const auto dp = static_cast<double>(rows_through_experts(place_in_blocks(2, 1))) * flops_a_token();
  const auto ep = static_cast<double>(rows_through_experts(place_in_blocks(2, 2))) * flops_a_token();
  if (ep == dp) return 1;
  return ep < dp ? 0 : 2;
}

}  // namespace

Lesson lesson() {
  return {.slug = "expert",
          .function = "expert_forward",
          .cases = {{"one row, no biases", one_row},
                    {"a hidden value below zero", negative_hidden},
                    {"two rows, with biases", with_biases},
                    {"more hidden units than dimensions", hidden_is_wider},
                    {"an expert that nobody chose", no_rows},
                    {"float32, as in training", single_precision},
                    {"the gradients that training needs", gradients},
                    {"gradients without a row", gradients_without_rows}},
          .measures = {{"parameters", parameters}, {"flops", flops_a_token}, {"halves", does_ep_halve_the_flops}}};
}

}  // namespace duet::lessons::expert
