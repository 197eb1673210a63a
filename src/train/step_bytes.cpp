#include "train/step_bytes.h"

#include "model/memory_model.h"

namespace duet {

namespace {

// Kept rows that leave `rank` and enter it, from what each rank's tokens wanted and lost.
RowsMoved rows_moved(const trace::StepRecord& step, const Layout& layout, int rank) {
  const auto& mesh = layout.mesh;
  RowsMoved moved;
  for (const auto& source : step.ranks) {
    if (mesh.dp_index(source.rank) != mesh.dp_index(rank)) continue;
    for (std::size_t e = 0; e < source.tokens_per_expert.size(); ++e) {
      const auto kept = source.tokens_per_expert[e] - source.dropped_per_expert[e];
      const auto holder = static_cast<std::int64_t>(e) / layout.placement.per_rank();
      const bool here = holder == mesh.ep_index(rank);
      if (source.rank == rank && !here) moved.out += kept;
      if (source.rank != rank && here) moved.in += kept;
    }
  }
  return moved;
}

}  // namespace

TrafficShape traffic_of(const RunConfig& config, const Layout& layout, std::int64_t value_bytes) {
  const auto& model = config.model;
  return {.dim = model.dim,
          .experts = model.experts,
          .ep = layout.mesh.ep,
          .dp = layout.mesh.dp,
          .value_bytes = value_bytes,
          .router_parameters = router_parameters(model.dim, model.experts),
          .expert_parameters = layout.placement.per_rank() * expert_parameters(model.dim, model.hidden),
          .input_grad = config.input_grad};
}

Bytes bytes_of(const trace::StepRecord& step, const Layout& layout, const TrafficShape& shape) {
  Bytes sum;
  for (const auto& rank : step.ranks) {
    for (const auto& event : rank.events) sum.measured += static_cast<double>(event.bytes);
    sum.formula += step_bytes(shape, rows_moved(step, layout, rank.rank));
  }
  const auto ranks = static_cast<double>(step.ranks.size());
  return step.ranks.empty() ? Bytes{} : Bytes{sum.measured / ranks, sum.formula / ranks};
}

}  // namespace duet
