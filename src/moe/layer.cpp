#include "moe/layer.h"

#include <fmt/format.h>

#include "core/error.h"
#include "moe/counts.h"
#include "moe/exchange_function.h"
#include "moe/fused_route.h"
#include "moe/global_view.h"
#include "moe/layer_aux.h"
#include "moe/permute_grid.h"
#include "trace/recorder.h"

namespace duet {

namespace {

using trace::Direction;
using trace::Phase;
using Timed = trace::Recorder::Scope;

// The first token with a logit that is not finite; T: none.
std::int64_t first_bad_token(const Routing& routing) {
  const at::NoGradGuard no_grad;
  const auto none = routing.logits.size(0);
  // A sum is finite only if all its terms are; it may overflow although they are, so look again before blaming one.
  if (std::isfinite(routing.logits.sum().item<double>())) return none;
  const auto bad = at::isfinite(routing.logits).logical_not().any(1).to(at::kInt);  // argmax takes no bool
  return bad.any().item<bool>() ? bad.argmax().item<std::int64_t>() : none;
}

void refuse_bad_token(int rank, std::int64_t token) {
  throw InputError({.what = "a router logit is NaN or infinite",
                    .where = fmt::format("rank {}, token {}, route", rank, token),
                    .usually = "the step before had too large a learning rate, or the input itself is not finite",
                    .fix = "lower --lr; look at the loss of the steps before"});
}

// By one kernel where there are such: for one choice on a GPU.
fused::CheckedRouting checked_route(const RouterWeights& router, const at::Tensor& x, const at::Tensor& noise) {
  if (router.top_k == 1 && !router.renormalize && has_kernels_for(x.device())) return fused::route(x, router, noise);
  auto routing = route(x, router, noise);
  const auto first_bad = first_bad_token(routing);
  return {std::move(routing), first_bad};
}

Routing route_tokens(const MoeLayer& layer, const at::Tensor& x, const RouterDraws& draws, int rank,
                     std::int64_t first_token) {
  auto [routing, first_bad] = checked_route(layer.router, draws.jitter.defined() ? x * draws.jitter : x, draws.noise);
  if (first_bad < x.size(0)) refuse_bad_token(rank, first_token + first_bad);
  // The same gate as route's, by our own backward (moe/gate_backward).
  routing.gate = chosen_probability(routing);
  if (layer.router.renormalize) routing.gate = routing.gate / routing.gate.sum(1, /*keepdim=*/true);
  routing.draw = draws.drop;
  return routing;
}

Routing slice(const Routing& routing, std::int64_t start, std::int64_t tokens) {
  const auto rows = [&](const at::Tensor& all) { return all.defined() ? all.narrow(0, start, tokens) : all; };
  return {rows(routing.logits), rows(routing.probs), rows(routing.expert), rows(routing.gate), rows(routing.draw)};
}

std::vector<Kept> keep_in_shards(const MoeLayer& layer, const Routing& routing, const TokenSpan& span) {
  std::vector<Kept> kept;
  std::int64_t start = 0;
  for (const auto tokens : span.shard_tokens) {
    kept.push_back(apply_capacity(slice(routing, start, tokens), layer.capacity));
    start += tokens;
  }
  return kept;
}

// One decision over the batch, laid out by shard.
std::vector<Kept> keep_in_batch(comm::Communicator& world, const MoeLayer& layer, const Routing& routing,
                                const TokenSpan& span) {
  const auto view = gather_routing(world, routing, span.rank_tokens);
  const auto mine = apply_capacity(routing, layer.capacity, &view);
  std::vector<Kept> kept;
  std::int64_t start = 0;
  for (const auto tokens : span.shard_tokens) {
    const auto expert = routing.expert.narrow(0, start, tokens).reshape({-1});
    kept.push_back({mine.mask.narrow(0, start, tokens), at::bincount(expert, {}, routing.logits.size(1))});
    start += tokens;
  }
  return kept;
}

Kept join(const std::vector<Kept>& shards, const Routing& routing) {
  if (shards.size() == 1) return shards.front();
  const auto integers = routing.expert.options();
  std::vector<at::Tensor> masks{at::empty({0, routing.expert.size(1)}, integers.dtype(at::kBool))};  // or no shard
  auto counts = at::zeros({routing.logits.size(1)}, integers);
  for (const auto& shard : shards) {
    masks.push_back(shard.mask);
    counts.add_(shard.counts);
  }
  return {at::cat(masks), counts};
}

at::Tensor run_experts(const MoeLayer& layer, const Plan& plan, const at::Tensor& rows) {
  if (layer.experts.size() == 1) return any_expert_forward(rows, layer.experts.front());
  const auto blocks = rows.split_with_sizes(plan.rows_of_experts());
  std::vector<at::Tensor> outputs;
  for (std::size_t i = 0; i < blocks.size(); ++i) outputs.push_back(any_expert_forward(blocks[i], layer.experts[i]));
  return at::cat(outputs);
}

}  // namespace

LayerOutput moe_forward(const LayerGroups& groups, const MoeLayer& layer, const at::Tensor& x, const TokenSpan& span,
                        const RouterDraws& draws) {
  auto* const recorder = groups.ep.recorder();
  const bool limited = layer.capacity.factor.has_value();
  LayerOutput result;
  {
    const Timed timed(recorder, Phase::route, Direction::forward);
    result.routing = route_tokens(layer, x, draws, groups.ep.rank(), span.first_token);
  }
  Kept kept;
  SendPlan send;
  {
    const Timed timed(recorder, Phase::plan, Direction::forward);
    const bool global = limited && layer.capacity.scope == Scope::global;
    result.kept =
        global ? keep_in_batch(groups.world, layer, result.routing, span) : keep_in_shards(layer, result.routing, span);
    kept = join(result.kept, result.routing);
    send = make_plan(result.routing.expert, kept, layer.placement);
  }
  {
    const Timed timed(recorder, Phase::counts, Direction::forward);
    result.plan = std::make_shared<const Plan>(exchange_counts(groups.ep, std::move(send)));
  }
  const auto rows = dispatch_rows(groups.ep, result.plan, x);
  at::Tensor y;
  {
    const Timed timed(recorder, Phase::expert, Direction::forward);
    y = run_experts(layer, *result.plan, rows);
  }
  result.out = combine_rows(groups.ep, result.plan, y, result.routing.gate);
  if (layer.residual && limited) {
    result.out = result.out + x * kept.mask.logical_not().sum(1, /*keepdim=*/true).to(x.scalar_type());
  }
  const Timed timed(recorder, Phase::loss, Direction::forward);
  result.aux = layer_aux(groups.world, layer, result.routing, result.kept, span);
  return result;
}

}  // namespace duet
