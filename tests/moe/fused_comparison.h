#pragma once
/// Comparisons of the fused units with the plain ones on any device; the CPU's tests and the GPU's share them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "moe/combine.h"
#include "moe/counts.h"
#include "moe/dispatch.h"
#include "moe/fused_exchange.h"
#include "moe/fused_route.h"
#include "moe/gate_backward.h"
#include "moe/rows_backward.h"
#include "moe/top_k.h"
#include "train/keyed_random.h"

namespace duet::test {

struct ExchangeCase {
  std::string name;
  int ranks = 1;
  std::int64_t tokens = 0, dim = 1, experts = 1, top_k = 1;
  std::int64_t capacity = -1;  ///< pairs that an expert takes; -1: all
};

inline void PrintTo(const ExchangeCase& one, std::ostream* out) { *out << one.name; }

inline std::vector<ExchangeCase> exchange_cases() {
  return {{"top_one", 1, 37, 5, 4, 1},         {"top_two", 2, 50, 33, 4, 2}, {"top_two_dropping", 2, 50, 7, 4, 2, 6},
          {"all_dropped", 2, 9, 3, 2, 1, 0},   {"no_tokens", 2, 0, 4, 2, 2}, {"wide_rows", 1, 3, 301, 2, 1},
          {"three_ranks", 3, 41, 64, 6, 3, 10}};
}

inline at::Tensor random_tensor(std::string_view key, at::IntArrayRef sizes, const at::TensorOptions& options) {
  const auto values = at::empty(sizes, at::kDouble);
  fill_normal(random_key(7, key), 0, {values.data_ptr<double>(), static_cast<std::size_t>(values.numel())});
  return values.to(options);
}

inline void expect_close(const at::Tensor& fused, const at::Tensor& plain, std::string_view what) {
  ASSERT_EQ(fused.sizes(), plain.sizes()) << what;
  if (plain.numel() == 0) return;
  const double bound = plain.scalar_type() == at::kDouble ? 1e-14 : 1e-5;
  const double apart = (fused - plain).abs().max().item<double>();
  EXPECT_LE(apart, bound * (1 + plain.abs().max().item<double>())) << what;
}

inline void expect_same(const at::Tensor& fused, const at::Tensor& plain, std::string_view what) {
  EXPECT_TRUE(fused.cpu().equal(plain.cpu())) << what;
}

inline Plan random_plan(comm::Communicator& comm, const ExchangeCase& one, const at::Device& device) {
  const auto name = std::to_string(comm.rank());
  const auto scores = random_tensor("scores" + name, {one.tokens, one.experts}, at::kDouble);
  const auto expert = choose_top_k(at::softmax(scores, 1), {.k = one.top_k}).expert;
  const Routing routing{.logits = scores, .probs = scores, .expert = expert, .gate = scores};
  auto kept = apply_capacity(routing, {});
  if (one.capacity >= 0) {
    const auto wanted = at::one_hot(expert.reshape({-1}), one.experts);
    const auto rank = wanted.cumsum(0).gather(1, expert.reshape({-1, 1}));
    kept.mask = rank.le(one.capacity).view(expert.sizes());
  }
  kept.mask = kept.mask.to(device);
  return exchange_counts(comm, make_plan(expert.to(device), kept, {.experts = one.experts, .ranks = one.ranks}));
}

inline void expect_fused_equals_plain(comm::Communicator& comm, const ExchangeCase& one, const at::Device& device,
                                      at::ScalarType dtype) {
  const auto plan = random_plan(comm, one, device);
  const auto rank = std::to_string(comm.rank());
  const auto options = at::TensorOptions(dtype).device(device);
  const auto x = random_tensor("x" + rank, {one.tokens, one.dim}, options);
  const auto gate = random_tensor("gate" + rank, {one.tokens, one.top_k}, options);
  const auto y = random_tensor("y" + rank, {plan.received(), one.dim}, options);

  expect_same(fused::dispatch(comm, plan, x), dispatch(comm, plan, x), "dispatch");
  const auto home = fused::combine(comm, plan, y, gate), plain = combine(comm, plan, y, gate);
  expect_close(home.out, plain.out, "combine");
  expect_same(home.rows, plain.rows, "combine's rows");
  expect_close(fused::dispatch_backward(comm, plan, y), dispatch_backward(comm, plan, y), "dispatch_backward");
  expect_close(fused::combine_backward(comm, plan, x, gate), combine_backward(comm, plan, x, gate), "combine_backward");
  expect_close(fused::gate_backward(plan, x, home.rows), gate_backward(plan, x, home.rows), "gate_backward");
  // A gradient that torch broadcast is not contiguous.
  const auto broadcast = at::ones({1, 1}, options).expand({one.tokens, one.dim});
  expect_close(fused::gate_backward(plan, broadcast, home.rows), gate_backward(plan, broadcast, home.rows), "expanded");
}

struct RouteCase {
  std::string name;
  std::int64_t tokens = 0, experts = 1;
  bool ties = false, bias = false;
};

inline void PrintTo(const RouteCase& one, std::ostream* out) { *out << one.name; }

inline std::vector<RouteCase> route_cases() {
  return {{"few", 10, 3},         {"no_tokens", 0, 4},           {"one_expert", 300, 1},
          {"one_tile", 256, 4},   {"two_tiles_and_one", 513, 4}, {"many_experts", 700, 300},
          {"ties", 600, 4, true}, {"bias", 400, 8, false, true}, {"bias_and_ties", 400, 8, true, true}};
}

inline void expect_route_equals_plain(const RouteCase& one, const at::Device& device, at::ScalarType dtype) {
  const auto options = at::TensorOptions(dtype).device(device);
  auto logits = random_tensor("logits", {one.tokens, one.experts}, options);
  if (one.ties) logits = logits.sign();  // two values only: most tokens have several best experts
  const auto bias = one.bias ? random_tensor("bias", {one.experts}, options).mul_(0.1) : at::Tensor();
  const auto probs = at::softmax(logits, 1);
  const auto plain = choose_top_k(probs, {.k = 1, .bias = bias});
  const auto top = fused::route_top1(logits, bias);

  expect_close(top.probs, probs, "probs");
  expect_same(top.expert, plain.expert, "expert");
  expect_close(top.gate, plain.gate, "gate");
  const auto counts = at::bincount(plain.expert.view({-1}), {}, one.experts);
  expect_same(top.summary.narrow(0, 0, one.experts), counts, "counts");
  EXPECT_EQ(top.summary[one.experts].item<std::int64_t>(), one.tokens) << "all are finite";

  const Kept all{at::ones({one.tokens, 1}, options.dtype(at::kBool)), counts};
  const auto plan = make_plan(plain.expert, all, {.experts = one.experts, .ranks = 1});
  const auto first_row = counts.cumsum(0) - counts;  // of each expert
  expect_same(top.position + first_row.index_select(0, plain.expert.view({-1})), plan.position.view({-1}), "position");
}

inline void expect_first_bad_token(const at::Device& device) {
  constexpr std::int64_t tokens = 1000, experts = 5;
  for (const double bad :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    auto logits = random_tensor("finite", {tokens, experts}, at::kDouble);
    for (const std::int64_t token : {999, 621, 700}) logits[token][token % experts] = bad;
    const auto top = fused::route_top1(logits.to(device));
    EXPECT_EQ(top.summary[experts].item<std::int64_t>(), 621) << bad;
    EXPECT_TRUE(top.expert.ge(0).logical_and(top.expert.lt(experts)).all().item<bool>()) << bad;
  }
}

}  // namespace duet::test
