// mixtral_lb_loss: Hugging Face's load_balancing_loss_func against our switch loss. Converted:
// - all layers and their valid tokens are one batch, and HF does not divide by k: HF = k * ours;
// - where the k-th and (k+1)-th probability are equal, torch.topk chooses otherwise than the lowest expert: the choice
//   that was recorded is counted;
// - a mask without any valid token gives NaN there and 0 here, as everything without tokens does.
#include <gtest/gtest.h>

#include <cmath>

#include "moe/aux_loss.h"
#include "moe/top_k.h"
#include "tests/golden/golden_file.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

at::Tensor valid_rows(const nlohmann::json& mask, std::int64_t tokens, std::int64_t layers) {
  if (mask.is_null()) return at::ones({tokens * layers}, at::kBool);
  const auto one = tensor_of(mask).view(-1).ne(0);
  return at::cat(std::vector<at::Tensor>(static_cast<std::size_t>(layers), one));
}

void check_case(const nlohmann::json& one) {
  const auto k = one.at("made_by").at("parameters").at("top_k").get<std::int64_t>();
  const auto& output = one.at("output");
  std::vector<at::Tensor> layers, recorded;
  for (const auto& layer : one.at("input").at("gate_logits")) layers.push_back(tensor_of(layer).requires_grad_(true));
  for (const auto& chosen : output.at("selected_experts")) recorded.push_back(tensor_of(chosen));
  const auto logits = at::cat(layers);
  const auto valid = valid_rows(one.at("input").at("attention_mask"), layers.front().size(0),
                                static_cast<std::int64_t>(layers.size()));
  const auto rows = valid.nonzero().view(-1);
  const auto probs = at::softmax(logits, 1).index_select(0, rows);
  const auto theirs = at::cat(recorded).index_select(0, rows);
  const auto ours = choose_top_k(probs.detach(), {.k = k}).expert;
  const bool tied = one.at("tie_at_boundary").get<bool>();
  EXPECT_TRUE(tied || ours.equal(theirs)) << "chosen experts";

  const auto counts = at::bincount((tied ? theirs : ours).reshape(-1), {}, logits.size(1));
  const auto loss = switch_loss(probs, counts) * k;
  const double golden = number_of(output.at("loss").at("data").at(0));
  if (std::isnan(golden)) {
    EXPECT_EQ(rows.size(0), 0);
    EXPECT_EQ(loss.item<double>(), 0);
    return;
  }
  expect_golden(loss.item<double>(), golden, tolerance, "loss");
  loss.backward();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    expect_golden(layers[i].grad(), output.at("grad_wrt_gate_logits").at(i), tolerance, "gradient of a layer's logits");
  }
}

}  // namespace

int check_mixtral_lb_loss(const nlohmann::json& file) {
  int checked = 0;
  for (const auto& one : file.at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    check_case(one);
    ++checked;
  }
  return checked;
}

}  // namespace duet::test
