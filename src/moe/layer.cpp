#include "moe/layer.h"

#include <fmt/format.h>

#include "core/error.h"
#include "moe/aux_loss.h"
#include "moe/counts.h"
#include "moe/exchange_function.h"
#include "trace/recorder.h"

namespace duet {

namespace {

using trace::Direction;
using trace::Phase;
using Scope = trace::Recorder::Scope;

Routing slice(const Routing& routing, std::int64_t start, std::int64_t tokens) {
  if (start == 0 && tokens == routing.logits.size(0)) return routing;
  return {routing.logits.narrow(0, start, tokens), routing.probs.narrow(0, start, tokens),
          routing.expert.narrow(0, start, tokens), routing.gate.narrow(0, start, tokens)};
}

void check_finite(const Routing& routing, int rank, std::int64_t first_token) {
  const at::NoGradGuard no_grad;
  // A sum is finite only if all its terms are; it may overflow although they are, so look again before blaming one.
  if (std::isfinite(routing.logits.sum().item<double>())) return;
  const auto bad = at::isfinite(routing.logits).logical_not().any(1).to(at::kInt);  // argmax takes no bool
  if (!bad.any().item<bool>()) return;
  throw InputError(
      {.what = "a router logit is NaN or infinite",
       .where = fmt::format("rank {}, token {}, route", rank, first_token + bad.argmax().item<std::int64_t>()),
       .usually = "the step before had too large a learning rate, or the input itself is not finite",
       .fix = "lower --lr; look at the loss of the steps before"});
}

Routing route_tokens(const MoeLayer& layer, const at::Tensor& x, int rank, std::int64_t first_token) {
  auto routing = route(x, layer.router);
  check_finite(routing, rank, first_token);
  // The same gate as route's, by our own backward (moe/gate_backward).
  routing.gate = chosen_probability(routing);
  if (layer.router.renormalize) routing.gate = routing.gate / routing.gate.sum(1, /*keepdim=*/true);
  return routing;
}

Kept join(const std::vector<Kept>& shards) {
  if (shards.size() == 1) return shards.front();
  std::vector<at::Tensor> masks;
  auto counts = at::zeros_like(shards.front().counts);
  for (const auto& shard : shards) {
    masks.push_back(shard.mask);
    counts.add_(shard.counts);
  }
  return {at::cat(masks), counts};
}

at::Tensor run_experts(const MoeLayer& layer, const Plan& plan, const at::Tensor& rows) {
  if (layer.experts.size() == 1) return expert_forward(rows, layer.experts.front());
  const auto blocks = rows.split_with_sizes(plan.rows_of_experts());
  std::vector<at::Tensor> outputs;
  for (std::size_t i = 0; i < blocks.size(); ++i) outputs.push_back(expert_forward(blocks[i], layer.experts[i]));
  return at::cat(outputs);
}

}  // namespace

LayerOutput moe_forward(comm::Communicator& group, const MoeLayer& layer, const at::Tensor& x,
                        const std::vector<std::int64_t>& shard_tokens, std::int64_t first_token) {
  auto* const recorder = group.recorder();
  LayerOutput result;
  {
    const Scope scope(recorder, Phase::route, Direction::forward);
    result.routing = route_tokens(layer, x, group.rank(), first_token);
  }
  SendPlan send;
  {
    const Scope scope(recorder, Phase::plan, Direction::forward);
    std::int64_t start = 0;
    for (const auto tokens : shard_tokens) {
      result.kept.push_back(apply_capacity(slice(result.routing, start, tokens), layer.capacity));
      start += tokens;
    }
    send = make_plan(result.routing.expert, join(result.kept), layer.placement);
  }
  {
    const Scope scope(recorder, Phase::counts, Direction::forward);
    result.plan = std::make_shared<const Plan>(exchange_counts(group, std::move(send)));
  }
  const auto rows = dispatch_rows(group, result.plan, x);
  at::Tensor y;
  {
    const Scope scope(recorder, Phase::expert, Direction::forward);
    y = run_experts(layer, *result.plan, rows);
  }
  result.out = combine_rows(group, result.plan, y, result.routing.gate);
  if (layer.aux != AuxKind::none) {
    const Scope scope(recorder, Phase::loss, Direction::forward);
    std::int64_t start = 0;
    for (std::size_t shard = 0; shard < shard_tokens.size(); ++shard) {
      const auto probs = slice(result.routing, start, shard_tokens[shard]).probs;
      result.aux.push_back(aux_loss(layer.aux, probs, result.kept[shard].counts));
      start += shard_tokens[shard];
    }
  }
  return result;
}

}  // namespace duet
