// What holds for every routing: small random cases by the thousand. Another seed every time; DUET_TEST_SEED repeats
// one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

#include "comm/threads/run_ranks.h"
#include "moe/combine.h"
#include "moe/counts.h"
#include "moe/dispatch.h"
#include "moe/layer.h"
#include "moe/top_k.h"
#include "tests/moe/tensors.h"

namespace duet {
namespace {

using test::doubles;
using test::listed;

std::uint64_t seed_of_this_run() {
  const char* const given = std::getenv("DUET_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::int64_t number(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(to - from + 1));
  }
  bool one_in(std::int64_t n) { return number(1, n) == 1; }
  at::Tensor normal(const std::vector<std::int64_t>& shape) {
    return filled(shape, std::normal_distribution<double>());
  }
  at::Tensor uniform(const std::vector<std::int64_t>& shape) {
    return filled(shape, std::uniform_real_distribution<double>());
  }
  std::vector<std::int64_t> permutation(std::int64_t size) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine_);
    return order;
  }

 private:
  template <typename Distribution>
  at::Tensor filled(const std::vector<std::int64_t>& shape, Distribution distribution) {
    std::vector<double> values(static_cast<std::size_t>(c10::multiply_integers(shape)));
    for (auto& value : values) value = distribution(engine_);
    return doubles(std::move(values), shape);
  }

  std::mt19937_64 engine_;
};

/// A test that draws its cases; the seed stands in every failure.
class EveryCase : public testing::Test {
 protected:
  const std::uint64_t seed = seed_of_this_run();
  const testing::ScopedTrace trace{__FILE__, __LINE__, fmt::format("DUET_TEST_SEED={}", seed)};
  Dice dice{seed};

  void SetUp() override { fmt::print("DUET_TEST_SEED={}\n", seed); }
};

class EveryCapacity : public EveryCase {};
class EveryExchange : public EveryCase {};
class EveryLayer : public EveryCase {};

CapacityRule draw_rule(Dice& dice) {
  CapacityRule rule;
  if (!dice.one_in(6)) rule.factor = Fraction{dice.number(0, 30), 10};
  rule.minimum = dice.one_in(3) ? dice.number(1, 4) : 0;
  rule.drop = static_cast<DropPolicy>(dice.number(0, 2));
  rule.slot_order = static_cast<SlotOrder>(dice.number(0, 1));
  rule.scope = static_cast<Scope>(dice.number(0, 1));
  return rule;
}

// Every fourth with many equal probabilities.
Routing draw_routing(Dice& dice, std::int64_t tokens, std::int64_t experts, std::int64_t k) {
  auto logits = dice.normal({tokens, experts});
  if (dice.one_in(4)) logits = logits.sign();
  const auto probs = at::softmax(logits, 1);
  const auto [expert, gate] = choose_top_k(probs, {.k = k});
  return {logits, probs, expert, gate, dice.uniform({tokens, k})};
}

Routing rows_of(const Routing& all, std::int64_t first, std::int64_t tokens) {
  const auto rows = [&](const at::Tensor& tensor) { return tensor.narrow(0, first, tokens); };
  return {rows(all.logits), rows(all.probs), rows(all.expert), rows(all.gate), rows(all.draw)};
}

std::vector<std::int64_t> pairs_per_expert(const at::Tensor& expert, const at::Tensor& mask, std::int64_t experts) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(experts));
  const auto chosen = listed<std::int64_t>(expert);
  const auto counted = listed<std::int64_t>(mask.to(at::kLong));
  for (std::size_t pair = 0; pair < chosen.size(); ++pair) {
    counts[static_cast<std::size_t>(chosen[pair])] += counted[pair];
  }
  return counts;
}

void expect_full_slots(const Routing& routing, const at::Tensor& mask, const CapacityRule& rule) {
  const auto experts = routing.logits.size(1);
  const auto wanted = pairs_per_expert(routing.expert, at::ones_like(mask), experts);
  const auto kept = pairs_per_expert(routing.expert, mask, experts);
  const auto limit = rule.limit(routing.expert.size(0), experts, routing.expert.size(1));
  for (std::size_t e = 0; e < kept.size(); ++e) {
    EXPECT_EQ(kept[e], limit ? std::min(wanted[e], *limit) : wanted[e]) << "expert " << e;
  }
}

// kept = min(wanted, limit) says both: never more than the limit, and no slot empty while a pair is dropped.
TEST_F(EveryCapacity, FillsEverySlotAndNoMore) {
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    const auto experts = dice.number(1, 8);
    const auto routing = draw_routing(dice, dice.number(0, 12), experts, dice.number(1, experts));
    const auto rule = draw_rule(dice);
    const auto kept = apply_capacity(routing, rule);
    expect_full_slots(routing, kept.mask, rule);
    EXPECT_EQ(listed<std::int64_t>(kept.counts), pairs_per_expert(routing.expert, at::ones_like(kept.mask), experts));
  }
}

TEST_F(EveryCapacity, OfTheBatchIsTheSameHoweverTheBatchIsCut) {
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    const auto experts = dice.number(1, 6), ranks = dice.number(1, 4);
    std::vector<std::int64_t> tokens;
    for (std::int64_t rank = 0; rank < ranks; ++rank) tokens.push_back(dice.number(0, 7));
    const auto all = std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
    const auto routing = draw_routing(dice, all, experts, dice.number(1, experts));
    const auto rule = draw_rule(dice);
    std::vector<at::Tensor> masks;
    std::int64_t first = 0;
    for (const auto mine : tokens) {
      const GlobalView view{routing, first};
      masks.push_back(apply_capacity(rows_of(routing, first, mine), rule, &view).mask);
      first += mine;
    }
    expect_full_slots(routing, at::cat(masks), rule);
    EXPECT_TRUE(at::cat(masks).equal(apply_capacity(routing, rule).mask));
  }
}

TEST_F(EveryCapacity, NeverSendsATokenToAnExpertTwice) {
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    const auto experts = dice.number(1, 8);
    const auto routing = draw_routing(dice, dice.number(0, 12), experts, dice.number(1, experts));
    const auto once = at::zeros({routing.expert.size(0), experts}, at::kLong)
                          .scatter_(1, routing.expert, at::ones_like(routing.expert));
    EXPECT_EQ(once.sum().item<std::int64_t>(), routing.expert.numel());
  }
}

TEST_F(EveryExchange, PlanHoldsEveryKeptPairOnce) {
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    const auto ranks = dice.number(1, 4), experts = ranks * dice.number(1, 3);
    const auto routing = draw_routing(dice, dice.number(0, 12), experts, dice.number(1, experts));
    const auto kept = apply_capacity(routing, draw_rule(dice));
    const auto plan = make_plan(routing.expert, kept, {.experts = experts, .ranks = static_cast<int>(ranks)});
    auto sent = listed<std::int64_t>(plan.order);
    std::ranges::sort(sent);
    EXPECT_EQ(sent, listed<std::int64_t>(kept.mask.view({-1}).nonzero())) << "a pair is lost or doubled";
    const auto position = listed<std::int64_t>(plan.position);
    const auto order = listed<std::int64_t>(plan.order);
    for (std::size_t row = 0; row < order.size(); ++row) {
      EXPECT_EQ(position[static_cast<std::size_t>(order[row])], static_cast<std::int64_t>(row));
    }
    EXPECT_EQ(plan.send_rows, pairs_per_expert(routing.expert, kept.mask, experts));
  }
}

// Each token comes home as often as it was kept, and as itself: its row is its number in the batch.
TEST_F(EveryExchange, CombineUndoesDispatchOnKeptPairs) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    comm::run_ranks(ranks, {}, [&](comm::Communicator& comm) {
      Dice common(seed), mine(seed + 1 + static_cast<std::uint64_t>(comm.rank()));
      for (int i = 0; i < 250 && !HasFailure(); ++i) {
        const auto experts = ranks * common.number(1, 3), k = common.number(1, experts);
        const auto tokens = mine.number(0, 9);
        const auto kept_of = draw_routing(mine, tokens, experts, k);
        const auto kept = apply_capacity(kept_of, draw_rule(mine));
        const auto plan =
            exchange_counts(comm, make_plan(kept_of.expert, kept, {.experts = experts, .ranks = comm.size()}));
        const auto x = (at::arange(tokens, at::kDouble) + 1000 * comm.rank() + 1).view({-1, 1});
        const auto back = combine(comm, plan, dispatch(comm, plan, x), at::ones({tokens, k}, at::kDouble)).out;
        const auto times = kept.mask.sum(1, /*keepdim=*/true).to(at::kDouble);
        EXPECT_TRUE(back.equal(x * times)) << "rank " << comm.rank() << " of " << ranks;
      }
    });
  }
}

/// A layer's numbers, the same on every rank, and what a case asks of it.
struct Drawn {
  MoeLayer rules;  ///< without weights
  std::int64_t dim = 1;
  at::Tensor router, router_bias, choice_bias;
  std::vector<std::vector<at::Tensor>> experts;
  std::vector<std::int64_t> shards;
  at::Tensor x, direction;  ///< [T, dim]; the loss is <out, direction> and the auxiliary losses
  RouterDraws draws;

  std::int64_t tokens() const { return x.size(0); }
};

Drawn draw_layer(Dice& dice, std::int64_t experts, std::int64_t shards) {
  Drawn drawn;
  const auto dim = drawn.dim = dice.number(1, 5);
  const auto hidden = dice.number(1, 4), k = dice.number(1, experts);
  auto& rules = drawn.rules;
  rules.router.top_k = k;
  rules.router.renormalize = rules.router.constant_gate = dice.one_in(3);
  rules.capacity = draw_rule(dice);
  rules.residual = dice.one_in(3);
  for (const auto kind : {AuxKind::std, AuxKind::cv, AuxKind::cv2, AuxKind::switch_, AuxKind::z}) {
    if (dice.one_in(3)) rules.aux.push_back(kind);
  }
  rules.aux_scope = static_cast<Scope>(dice.number(0, 1));
  rules.estimator = static_cast<Estimator>(dice.number(0, 1));
  drawn.router = dice.normal({experts, dim});
  if (dice.one_in(2)) drawn.router_bias = dice.normal({experts});
  if (dice.one_in(3)) drawn.choice_bias = dice.normal({experts}) * 0.1;
  const bool gated = dice.one_in(3);
  for (std::int64_t e = 0; e < experts; ++e) {
    drawn.experts.push_back({dice.normal({hidden, dim}), gated ? dice.normal({hidden, dim}) : dice.normal({hidden}),
                             dice.normal({dim, hidden}), gated ? at::Tensor() : dice.normal({dim})});
  }
  std::int64_t tokens = 0;
  for (std::int64_t shard = 0; shard < shards; ++shard) tokens += drawn.shards.emplace_back(dice.number(0, 6));
  drawn.x = dice.normal({tokens, dim});
  drawn.direction = dice.normal({tokens, dim});
  if (dice.one_in(3)) drawn.draws.jitter = dice.uniform({tokens, dim}) + 0.5;
  if (dice.one_in(3)) drawn.draws.noise = dice.normal({tokens, experts});
  drawn.draws.drop = dice.uniform({tokens, k});
  return drawn;
}

/// What one rank of a layout makes of a drawn layer.
struct Outcome {
  at::Tensor out, kept, grad_x;       ///< of this rank's tokens
  std::vector<double> aux;            ///< this rank's part
  std::vector<at::Tensor> gradients;  ///< router, router bias, then the experts' by global id; undefined: not here
};

at::Tensor learnt(const at::Tensor& value) {
  return value.defined() ? value.detach().clone().requires_grad_(true) : at::Tensor();
}

/// One layout of a drawn layer: this rank's experts and shards.
class Placed {
 public:
  Placed(const Drawn& drawn, comm::Communicator& ep, comm::Communicator& world)
      : drawn_(drawn), ep_(ep), world_(world), layer_(drawn.rules) {
    const auto experts = std::ssize(drawn.experts);
    layer_.placement = {.experts = experts, .ranks = ep.size()};
    layer_.router.weight = learnt(drawn.router);
    layer_.router.bias = learnt(drawn.router_bias);
    layer_.router.choice_bias = drawn.choice_bias;
    const auto first = layer_.placement.first_on(ep.rank());
    for (std::int64_t e = 0; e < layer_.placement.per_rank(); ++e) add_expert(first + e);
    // One shard a rank, or all on the only rank.
    for (int rank = 0; rank < world.size(); ++rank) {
      const auto tokens = world.size() == 1 ? drawn.tokens() : drawn.shards[static_cast<std::size_t>(rank)];
      if (rank < world.rank()) span_.first_token += tokens;
      span_.rank_tokens.push_back(tokens);
    }
    span_.shard_tokens = drawn.shards;
    if (world.size() > 1) span_.shard_tokens = {drawn.shards[static_cast<std::size_t>(world.rank())]};
    span_.global_shards = std::ssize(drawn.shards);
  }

  Outcome run() {
    const auto x = learnt(mine(drawn_.x));
    const RouterDraws draws{mine(drawn_.draws.jitter), mine(drawn_.draws.noise), mine(drawn_.draws.drop)};
    const auto output = moe_forward({ep_, world_}, layer_, x, span_, draws);
    auto loss = (output.out * mine(drawn_.direction)).sum();
    Outcome outcome;
    for (std::size_t i = 0; i < output.aux.size(); ++i) {
      outcome.aux.push_back(output.aux[i].item<double>());
      loss = loss + output.aux[i] * (1.0 + static_cast<double>(i));
    }
    loss.backward();
    outcome.out = output.out.detach();
    outcome.kept = output.plan->position.lt(output.plan->rows());
    outcome.grad_x = x.grad();
    outcome.gradients = gradients();
    return outcome;
  }

 private:
  at::Tensor mine(const at::Tensor& all) const {
    const auto tokens = span_.rank_tokens[static_cast<std::size_t>(world_.rank())];
    return all.defined() ? all.narrow(0, span_.first_token, tokens) : all;
  }

  void add_expert(std::int64_t e) {
    const auto& values = drawn_.experts[static_cast<std::size_t>(e)];
    if (values[3].defined()) {
      layer_.experts.emplace_back(
          ExpertWeights{learnt(values[0]), learnt(values[1]), learnt(values[2]), learnt(values[3])});
    } else {
      layer_.experts.emplace_back(SwigluWeights{learnt(values[0]), learnt(values[1]), learnt(values[2])});
    }
  }

  std::vector<at::Tensor> gradients() const {
    std::vector<at::Tensor> all{layer_.router.weight.grad()};
    if (layer_.router.bias.defined()) all.push_back(layer_.router.bias.grad());
    for (std::int64_t e = 0; e < layer_.placement.experts; ++e) {
      const auto local = e - layer_.placement.first_on(ep_.rank());
      const bool here = local >= 0 && local < layer_.placement.per_rank();
      for (int i = 0; i < 3; ++i) all.push_back(here ? grad_of(static_cast<std::size_t>(local), i) : at::Tensor());
    }
    return all;
  }

  at::Tensor grad_of(std::size_t local, int i) const {
    if (const auto* relu = std::get_if<ExpertWeights>(&layer_.experts[local])) {
      return std::array{relu->w1, relu->b1, relu->w2}[static_cast<std::size_t>(i)].grad();
    }
    const auto& gated = std::get<SwigluWeights>(layer_.experts[local]);
    return std::array{gated.w1, gated.w3, gated.w2}[static_cast<std::size_t>(i)].grad();
  }

  const Drawn& drawn_;
  comm::Communicator& ep_;
  comm::Communicator& world_;
  MoeLayer layer_;
  TokenSpan span_;
};

// All ranks' parts in one: tokens one after the other, losses and gradients added up.
Outcome join(const std::vector<Outcome>& ranks) {
  Outcome all = ranks.front();
  std::vector<at::Tensor> out, kept, grad_x;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& part = ranks[rank];
    out.push_back(part.out);
    kept.push_back(part.kept);
    grad_x.push_back(part.grad_x);
    for (std::size_t i = 0; rank > 0 && i < part.aux.size(); ++i) all.aux[i] += part.aux[i];
    for (std::size_t i = 0; rank > 0 && i < part.gradients.size(); ++i) {
      const auto& more = part.gradients[i];
      auto& sum = all.gradients[i];
      if (more.defined()) sum = sum.defined() ? sum + more : more;
    }
  }
  all.out = at::cat(out);
  all.kept = at::cat(kept);
  all.grad_x = at::cat(grad_x);
  return all;
}

void expect_close(const at::Tensor& a, const at::Tensor& b, const std::string& what) {
  constexpr double tolerance = 1e-11;  // of the largest number, or of 1: sums of a few dozen numbers of size 1 to 100
  ASSERT_EQ(a.sizes(), b.sizes()) << what;
  if (a.numel() == 0) return;
  const auto apart = (a - b).abs().max().item<double>();
  EXPECT_LE(apart, tolerance * std::max(1.0, b.abs().max().item<double>())) << what;
}

void expect_close(const Outcome& a, const Outcome& b, const std::string& what) {
  EXPECT_TRUE(a.kept.equal(b.kept)) << what << ": kept pairs";
  expect_close(a.out, b.out, what + ": output");
  expect_close(a.grad_x, b.grad_x, what + ": gradient of the input");
  for (std::size_t i = 0; i < b.aux.size(); ++i) EXPECT_NEAR(a.aux[i], b.aux[i], 1e-11) << what << ": loss " << i;
  ASSERT_EQ(a.gradients.size(), b.gradients.size()) << what;
  for (std::size_t i = 0; i < b.gradients.size(); ++i) {
    expect_close(a.gradients[i], b.gradients[i], fmt::format("{}: gradient {}", what, i));
  }
}

TEST_F(EveryLayer, IsTheSameOnEveryLayoutUnderEveryRule) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    constexpr int cases = 150;
    std::vector<Drawn> drawn;
    for (int i = 0; i < cases; ++i) drawn.push_back(draw_layer(dice, ranks * dice.number(1, 3), ranks));
    const auto size = static_cast<std::size_t>(ranks);
    std::vector<std::vector<Outcome>> ep(cases, std::vector<Outcome>(size)), dp = ep, single = ep;
    comm::run_ranks(ranks, {}, [&](comm::Communicator& world) {
      const auto alone = world.split(world.rank(), 0);
      const auto rank = static_cast<std::size_t>(world.rank());
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        ep[i][rank] = Placed(drawn[i], world, world).run();
        dp[i][rank] = Placed(drawn[i], *alone, world).run();
        if (rank == 0) single[i][0] = Placed(drawn[i], *alone, *alone).run();
      }
    });
    for (std::size_t i = 0; i < drawn.size() && !HasFailure(); ++i) {
      SCOPED_TRACE(fmt::format("{} ranks, case {}", ranks, i));
      expect_close(join(ep[i]), single[i][0], "ep");
      expect_close(join(dp[i]), single[i][0], "dp");
    }
  }
}

TEST_F(EveryLayer, PermutesItsOutputsWithItsTokensWhenNothingDrops) {
  comm::run_ranks(1, {}, [&](comm::Communicator& comm) {
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
      auto drawn = draw_layer(dice, dice.number(1, 6), 1);
      drawn.rules.capacity.factor.reset();
      const auto order = test::integers(dice.permutation(drawn.tokens()), {drawn.tokens()});
      const auto permuted = [&](const at::Tensor& rows) { return rows.defined() ? rows.index_select(0, order) : rows; };
      auto other = drawn;
      other.x = permuted(drawn.x);
      other.direction = permuted(drawn.direction);
      other.draws = {permuted(drawn.draws.jitter), permuted(drawn.draws.noise), permuted(drawn.draws.drop)};
      auto straight = Placed(drawn, comm, comm).run();
      straight.out = permuted(straight.out);
      straight.kept = permuted(straight.kept);
      straight.grad_x = permuted(straight.grad_x);
      expect_close(Placed(other, comm, comm).run(), straight, "permuted");
    }
  });
}

}  // namespace
}  // namespace duet
