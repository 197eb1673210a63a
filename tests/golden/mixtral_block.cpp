// mixtral_block: Hugging Face's MixtralSparseMoeBlock against a MoeLayer with SwiGLU experts, on one rank and on two
// with the experts split. Converted:
// - [B, S, H] is [T, H] with T = B * S; `gate.weight` is our router without a bias;
// - `gate_up_proj` is [w1; w3] in one tensor, `down_proj` our w2; its summed gradient is that of w1 and w3;
// - the gates are divided by the sum over the k (--renormalize), at k = 1 too (--constant-gate). The router's
//   gradient is 0 then: ours is held to 1e-12, and theirs, which is rounding in float32, to 1e-6;
// - where the k-th and the (k+1)-th probability are equal, torch.topk chooses otherwise than the lowest expert: the
//   choice and the counts of such a case are not compared, its outputs and gradients are (its tied tokens are zeros);
// - Hugging Face computes in float32; ours runs in float64 on the same weights.
#include <gtest/gtest.h>

#include "comm/threads/run_ranks.h"
#include "moe/layer.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/replay.h"

namespace duet::test {

namespace {

constexpr double tolerance = 1e-5;

at::Tensor doubles_of(const nlohmann::json& tensor) { return tensor_of(tensor).to(at::kDouble); }

// A parameter of its own, as each rank has one.
at::Tensor leaf(const at::Tensor& values) { return values.detach().clone().requires_grad_(true); }

/// What one rank found; all ranks' parts together are the case's output.
struct Part {
  at::Tensor out, logits, gate, expert, counts, grad_x, grad_router;
  at::Tensor grad_up, grad_down;  ///< [local experts], sums
};

struct Block {
  at::Tensor x;  ///< [T, H]
  at::Tensor router, gate_up, down;
  std::int64_t k = 2;
};

MoeLayer layer_of(const Block& block, int ranks, int rank) {
  const auto hidden = block.down.size(2);
  MoeLayer layer;
  layer.placement = place_in_blocks(block.router.size(0), ranks);
  layer.router = {
      .weight = leaf(block.router), .bias = {}, .top_k = block.k, .renormalize = true, .constant_gate = block.k == 1};
  for (std::int64_t i = 0; i < layer.placement.per_rank(); ++i) {
    const auto e = layer.placement.first_on(rank) + i;
    const auto both = block.gate_up.select(0, e);
    layer.experts.emplace_back(SwigluWeights{.w1 = leaf(both.narrow(0, 0, hidden)),
                                             .w3 = leaf(both.narrow(0, hidden, hidden)),
                                             .w2 = leaf(block.down.select(0, e))});
  }
  return layer;
}

Part run_rank(comm::Communicator& world, const Block& block) {
  const auto tokens = block.x.size(0);
  const auto first = tokens * world.rank() / world.size();
  const auto mine = tokens * (world.rank() + 1) / world.size() - first;
  const auto layer = layer_of(block, world.size(), world.rank());
  const auto x = leaf(block.x.narrow(0, first, mine));
  const TokenSpan span{.shard_tokens = {mine}, .first_token = first, .global_shards = world.size(), .rank_tokens = {}};
  const auto result = moe_forward({.ep = world, .world = world}, layer, x, span);
  // L = sum_i out_i * (i + 1) / N, i the flat index in the whole output.
  const auto weight = (at::arange(block.x.numel(), at::kDouble) + 1).view(block.x.sizes()) / block.x.numel();
  (result.out * weight.narrow(0, first, mine)).sum().backward();
  Part part{.out = result.out.detach(),
            .logits = result.routing.logits.detach(),
            .gate = result.routing.gate.detach(),
            .expert = result.routing.expert,
            .counts = result.kept.front().counts,
            .grad_x = x.grad(),
            .grad_router = layer.router.weight.grad(),
            .grad_up = {},
            .grad_down = {}};
  std::vector<at::Tensor> up, down;
  for (const auto& expert : layer.experts) {
    const auto& weights = std::get<SwigluWeights>(expert);
    up.push_back(weights.w1.grad().sum() + weights.w3.grad().sum());
    down.push_back(weights.w2.grad().sum());
  }
  part.grad_up = at::stack(up);
  part.grad_down = at::stack(down);
  return part;
}

at::Tensor joined(const std::vector<Part>& parts, at::Tensor Part::*what) {
  std::vector<at::Tensor> all;
  for (const auto& part : parts) all.push_back(part.*what);
  return at::cat(all);
}

at::Tensor summed(const std::vector<Part>& parts, at::Tensor Part::*what) {
  auto sum = (parts.front().*what).clone();
  for (std::size_t i = 1; i < parts.size(); ++i) sum += parts[i].*what;
  return sum;
}

void check_router_gradient(const at::Tensor& ours, std::int64_t k, const nlohmann::json& golden) {
  if (k > 1) return expect_golden(ours, golden, tolerance, "d router");
  EXPECT_LE(ours.abs().max().item<double>(), 1e-12) << "the gate is constant";
  const auto theirs = doubles_of(golden);
  ASSERT_EQ(theirs.sizes(), ours.sizes());
  EXPECT_LE(theirs.abs().max().item<double>(), 1e-6) << "the gate is constant";
}

void check_on(int ranks, const Block& block, const nlohmann::json& one) {
  SCOPED_TRACE(ranks);
  std::vector<Part> parts(static_cast<std::size_t>(ranks));
  comm::run_ranks(ranks, {}, [&](comm::Communicator& world) {
    parts[static_cast<std::size_t>(world.rank())] = run_rank(world, block);
  });
  const auto& output = one.at("output");
  const auto shape = tensor_of(one.at("input").at("hidden_states")).sizes().vec();
  expect_golden(joined(parts, &Part::out).view(shape), output.at("hidden_states"), tolerance, "output");
  expect_golden(joined(parts, &Part::logits), output.at("router_logits"), tolerance, "logits");
  expect_golden(joined(parts, &Part::gate), output.at("top_k_weights"), tolerance, "gates");
  if (!one.value("tie_at_boundary", false)) {
    expect_golden(joined(parts, &Part::expert), output.at("top_k_index"), 0, "chosen experts");
    expect_golden(summed(parts, &Part::counts), output.at("tokens_per_expert"), 0, "tokens per expert");
  }
  expect_golden(joined(parts, &Part::grad_x).view(shape), output.at("grad_wrt_hidden_states"), tolerance, "d input");
  check_router_gradient(summed(parts, &Part::grad_router), block.k, output.at("grad_wrt_gate_weight"));
  expect_golden(joined(parts, &Part::grad_up), output.at("grad_sum_gate_up_proj_per_expert"), tolerance, "d w1, w3");
  expect_golden(joined(parts, &Part::grad_down), output.at("grad_sum_down_proj_per_expert"), tolerance, "d w2");
}

void check(const nlohmann::json& one) {
  const auto& input = one.at("input");
  const auto& weights = input.at("weights");
  const auto hidden_states = doubles_of(input.at("hidden_states"));
  const Block block{.x = hidden_states.reshape({-1, hidden_states.size(-1)}),
                    .router = doubles_of(weights.at("gate.weight")),
                    .gate_up = doubles_of(weights.at("experts.gate_up_proj")),
                    .down = doubles_of(weights.at("experts.down_proj")),
                    .k = one.at("made_by").at("parameters").at("num_experts_per_tok").get<std::int64_t>()};
  for (const int ranks : {1, 2}) check_on(ranks, block, one);
}

}  // namespace

int check_mixtral_block(const nlohmann::json& file) { return replay_cases(file, check); }

}  // namespace duet::test
