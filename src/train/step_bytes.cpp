#include "train/step_bytes.h"

#include <algorithm>

#include "model/memory_model.h"
#include "parallel/shard.h"

namespace duet {

namespace {

// Kept rows of a layer that leave `rank` and enter it, from what each rank's tokens wanted and lost.
RowsMoved rows_moved(const trace::StepRecord& step, const Layout& layout, int rank, std::size_t l) {
  const auto& mesh = layout.mesh;
  RowsMoved moved;
  for (const auto& source : step.ranks) {
    if (mesh.dp_index(source.rank) != mesh.dp_index(rank)) continue;
    const auto& layer = source.layers[l];
    for (std::size_t e = 0; e < layer.tokens_per_expert.size(); ++e) {
      const auto kept = layer.tokens_per_expert[e] - layer.dropped_per_expert[e];
      const auto holder = static_cast<std::int64_t>(e) / layout.placement.per_rank();
      const bool here = holder == mesh.ep_index(rank);
      if (source.rank == rank && !here) moved.out += kept;
      if (source.rank != rank && here) moved.in += kept;
    }
  }
  return moved;
}

// Global capacity gathers, in every micro-batch, as many pairs from each rank as the one with most tokens has.
std::int64_t gathered_pairs(const RunConfig& config, int world) {
  const auto sizes = shard_sizes(config);
  std::int64_t tokens = 0;
  for (std::int64_t part = 0; part < config.accumulate; ++part) {
    const auto range = micro_batch_of(0, world, sizes, part, config.accumulate);
    tokens += *std::ranges::max_element(range.rank_tokens);
  }
  return tokens * config.model.top_k;
}

double rules_of(const RunConfig& config, const Layout& layout, std::int64_t value_bytes) {
  const auto& model = config.model;
  const int world = layout.mesh.world();
  const bool global_capacity = model.capacity_factor != "none" && model.capacity_scope == Scope::global;
  const auto draw = model.drop == DropPolicy::random ? 8 : 0;
  return rule_bytes({.world = world,
                     .ep = layout.mesh.ep,
                     .experts = model.experts,
                     .layers = model.layers,
                     .micro_batches = config.accumulate,
                     .choice_bias = model.bias_rate > 0,
                     .clip = config.optimizer.clip_norm > 0,
                     .global_aux = !model.aux.empty() && model.aux_scope == Scope::global,
                     .gathered_pair_bytes = global_capacity ? 8 + value_bytes + draw : 0,
                     .gathered_pairs = gathered_pairs(config, world)});
}

}  // namespace

TrafficShape traffic_of(const RunConfig& config, const Layout& layout, std::int64_t value_bytes) {
  const auto& model = config.model;
  const bool gated = model.expert == ExpertKind::swiglu;
  const auto router = router_parameters(model.dim, model.experts) - (model.router_bias ? 0 : model.experts);
  return {.dim = model.dim,
          .experts = model.experts,
          .ep = layout.mesh.ep,
          .dp = layout.mesh.dp,
          .value_bytes = value_bytes,
          .router_parameters = model.layers * router,
          .expert_parameters =
              model.layers * layout.placement.per_rank() * expert_parameters(model.dim, model.hidden, gated),
          .input_grad = config.input_grad,
          .layers = model.layers,
          .micro_batches = config.accumulate,
          .rule_bytes = rules_of(config, layout, value_bytes)};
}

Bytes bytes_of(const trace::StepRecord& step, const Layout& layout, const TrafficShape& shape) {
  Bytes sum;
  for (const auto& rank : step.ranks) {
    for (const auto& event : rank.events) sum.measured += static_cast<double>(event.bytes);
    sum.formula += sync_bytes(shape) + shape.rule_bytes;
    for (std::size_t layer = 0; layer < rank.layers.size(); ++layer) {
      const bool input_grad = layer > 0 || shape.input_grad;
      sum.formula += exchange_bytes(shape, rows_moved(step, layout, rank.rank, layer), input_grad);
    }
  }
  const auto ranks = static_cast<double>(step.ranks.size());
  return step.ranks.empty() ? Bytes{} : Bytes{sum.measured / ranks, sum.formula / ranks};
}

}  // namespace duet
