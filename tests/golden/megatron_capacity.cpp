// megatron_capacity, megatron_drop and megatron_expert_bias against our capacity rule and choice bias. Converted:
// - get_capacity computes in double, we in integers from the decimal text. Where they part, the golden must be what the
//   double formula gives, and ours one less or more (25/3 * 1.8 is 15, and 16 in double);
// - get_capacity is given tokens * k; our rule multiplies by k itself;
// - "probs" is our --drop probability, "position" our --drop position with --slot-order token; the first come stay;
// - the bias update takes the counts as float32; they are whole numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "moe/capacity.h"
#include "moe/choice_bias.h"
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/replay.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

void check_query(const nlohmann::json& query, std::int64_t golden) {
  const auto tokens = query.at("num_tokens").get<std::int64_t>();
  const auto experts = query.at("num_experts").get<std::int64_t>();
  const auto& factor = query.at("capacity_factor");
  const auto& minimum = query.at("min_capacity");
  const auto at_least = minimum.is_null() ? 0 : minimum.get<std::int64_t>();
  const CapacityRule rule{.factor = parse_capacity_factor(factor.dump()), .minimum = at_least};
  const auto ours = rule.limit(tokens, experts, 1);
  ASSERT_TRUE(ours.has_value());
  if (*ours == golden) return;
  const double share = static_cast<double>(tokens) / static_cast<double>(experts);
  const auto in_double = static_cast<std::int64_t>(std::ceil(share * factor.get<double>()));
  EXPECT_EQ(golden, std::max(in_double, at_least)) << query;
  EXPECT_LE(std::abs(golden - *ours), 1) << query;
}

void check_capacity(const nlohmann::json& one) {
  const auto& queries = one.at("input").at("queries");
  const auto& golden = one.at("output").at("capacity");
  ASSERT_EQ(queries.size(), golden.size());
  for (std::size_t i = 0; i < queries.size(); ++i) check_query(queries[i], golden[i].get<std::int64_t>());
}

void check_drop(const nlohmann::json& one) {
  const auto& parameters = one.at("made_by").at("parameters");
  const auto& output = first_come_of(one);
  const auto logits = tensor_of(one.at("input").at("logits"));
  const auto probs = at::softmax(logits, 1);
  const auto k = parameters.at("router_topk").get<std::int64_t>();
  const auto choice = choose_top_k(probs, {.k = k});
  const bool by_gate = parameters.at("drop_policy") == "probs";
  const CapacityRule rule{.factor = parse_capacity_factor(parameters.at("capacity_factor").dump()),
                          .drop = by_gate ? DropPolicy::probability : DropPolicy::position};
  const auto kept = apply_capacity({logits, probs, choice.expert, choice.gate}, rule);
  EXPECT_EQ(*rule.limit(logits.size(0), logits.size(1), k), output.at("capacity").get<std::int64_t>());

  const auto spread = [&](const at::Tensor& values) {
    return values.new_zeros(logits.sizes()).scatter(1, choice.expert, values);
  };
  const auto stay = kept.mask.to(at::kLong);
  expect_golden(spread(choice.gate), output.at("routing_probs"), tolerance, "gates before dropping");
  expect_golden(spread(at::ones_like(stay)), output.at("routing_map"), 0, "map before dropping");
  expect_golden(spread(choice.gate * stay), output.at("final_probs"), tolerance, "gates after dropping");
  expect_golden(spread(stay), output.at("final_map"), 0, "map after dropping");
  expect_golden(kept.counts, output.at("tokens_per_expert_before"), 0, "counts before dropping");
  expect_golden(spread(stay).sum(0), output.at("tokens_per_expert_after"), 0, "counts after dropping");
}

void check_bias(const nlohmann::json& one) {
  const auto bias = tensor_of(one.at("input").at("expert_bias"));
  const auto counts = tensor_of(one.at("input").at("tokens_per_expert")).to(at::kLong);
  move_choice_bias(bias, counts, one.at("made_by").at("parameters").at("expert_bias_update_rate").get<double>());
  expect_golden(bias, one.at("output").at("expert_bias"), tolerance, "bias");
}

}  // namespace

int check_megatron_capacity(const nlohmann::json& file) { return replay_cases(file, check_capacity); }

int check_megatron_drop(const nlohmann::json& file) { return replay_cases(file, check_drop); }

int check_megatron_expert_bias(const nlohmann::json& file) { return replay_cases(file, check_bias); }

}  // namespace duet::test
