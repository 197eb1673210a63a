// std_aux: the std auxiliary loss in float64. Scope `global` is our function on the whole batch instead of a shard.
#include <gtest/gtest.h>

#include "moe/aux_loss.h"
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-10;

void check_case(const nlohmann::json& one) {
  const auto& parameters = one.at("made_by").at("parameters");
  const bool global = parameters.at("scope") == "global";
  const auto estimator = parameters.at("estimator") == "population" ? Estimator::population : Estimator::unbiased;
  const auto logits = tensor_of(one.at("input").at("logits")).requires_grad_(true);
  const auto probs = at::softmax(logits, 1);
  const auto expert = choose_top_k(probs.detach(), {.k = 1}).expert.view(-1);
  EXPECT_EQ(json_of(expert), one.at("output").at("expert_index")) << "chosen experts";

  const auto shards = parameters.at("shards").get<std::int64_t>();
  const auto tokens = logits.size(0) / shards;
  auto loss = at::zeros({}, at::kDouble);
  auto all_counts = at::zeros({logits.size(1)}, at::kLong);
  auto counts_per_shard = nlohmann::json::array();
  for (std::int64_t shard = 0; shard < shards; ++shard) {
    const auto counts = at::bincount(expert.narrow(0, shard * tokens, tokens), {}, logits.size(1));
    counts_per_shard.push_back(json_of(counts));
    all_counts.add_(counts);
    if (!global) loss = loss + std_loss(probs.narrow(0, shard * tokens, tokens), counts, estimator) / shards;
  }
  if (global) loss = std_loss(probs, all_counts, estimator);
  EXPECT_EQ(counts_per_shard, one.at("output").at("counts_per_shard")) << "counts of the shards";
  loss.backward();
  expect_golden(loss.item<double>(), number_of(one.at("output").at("value")), tolerance, "value");
  expect_golden(logits.grad(), one.at("output").at("grad_wrt_logits"), tolerance, "gradient of the logits");
}

}  // namespace

int check_std_aux(const nlohmann::json& file) {
  int checked = 0;
  for (const auto& one : file.at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    check_case(one);
    ++checked;
  }
  return checked;
}

}  // namespace duet::test
