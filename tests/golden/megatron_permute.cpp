// megatron_permute: permute, stand-in experts y = 2x + 1 and unpermute against plan, dispatch and combine. Converted:
// - their map [T, E] is our list of chosen experts [T, k]; rows are sorted by expert and then by token in both;
// - the stand-in experts are not ours: 2x + 1 is computed here.
#include "comm/threads/run_ranks.h"
#include "moe/combine.h"
#include "moe/counts.h"
#include "moe/dispatch.h"
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/replay.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

void check(const nlohmann::json& one) {
  const auto& output = one.at("output");
  const auto x = tensor_of(one.at("input").at("tokens"));
  const auto probs = at::softmax(tensor_of(one.at("input").at("logits")), 1);
  const auto experts = probs.size(1);
  const auto k = one.at("made_by").at("parameters").at("topk").get<std::int64_t>();
  const auto choice = choose_top_k(probs, {.k = k});
  const auto map = choice.expert.new_zeros(probs.sizes()).scatter(1, choice.expert, 1);
  expect_golden(map, output.at("routing_map"), 0, "map");
  expect_golden(map.sum(0), output.at("tokens_per_expert"), 0, "tokens per expert");
  expect_golden(probs * map, output.at("probs"), tolerance, "gates");
  comm::run_ranks(1, {}, [&](comm::Communicator& alone) {
    const auto kept = apply_capacity({probs, probs, choice.expert, choice.gate}, {});
    const auto plan = exchange_counts(alone, make_plan(choice.expert, kept, {.experts = experts, .ranks = 1}));
    expect_golden(plan.tokens(), output.at("sorted_indices"), 0, "token of each row");
    const auto gate = choice.gate.reshape({-1}).index_select(0, plan.order);
    expect_golden(gate, output.at("permuted_probs"), tolerance, "gate of each row");
    const auto rows = dispatch(alone, plan, x);
    expect_golden(rows, output.at("permuted_tokens"), 0, "rows");
    const auto out = combine(alone, plan, rows * 2 + 1, choice.gate).out;
    expect_golden(out, output.at("unpermuted_2x_plus_1"), tolerance, "output");
  });
}

}  // namespace

int check_megatron_permute(const nlohmann::json& file) { return replay_cases(file, check); }

}  // namespace duet::test
