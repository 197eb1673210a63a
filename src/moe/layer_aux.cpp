#include "moe/layer_aux.h"

#include "moe/aux_scope.h"

namespace duet {

namespace {

std::vector<at::Tensor> local_parts(const MoeLayer& layer, const Routing& routing, const std::vector<Kept>& kept,
                                    const TokenSpan& span) {
  std::vector<at::Tensor> parts(layer.aux.size());
  std::int64_t start = 0;
  for (std::size_t shard = 0; shard < kept.size(); ++shard) {
    const auto tokens = span.shard_tokens[shard];
    const AuxInput input{.logits = routing.logits.narrow(0, start, tokens),
                         .probs = routing.probs.narrow(0, start, tokens),
                         .counts = kept[shard].counts};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto value = shard_aux(layer.aux[i], layer.estimator, input) / span.global_shards;
      parts[i] = parts[i].defined() ? parts[i] + value : value;
    }
    start += tokens;
  }
  for (auto& part : parts) {
    if (!part.defined()) part = at::zeros({}, routing.probs.options());  // a rank without shards
  }
  return parts;
}

std::vector<at::Tensor> global_parts(comm::Communicator& world, const MoeLayer& layer, const Routing& routing) {
  const auto experts = routing.logits.size(1);
  const AuxInput mine{.logits = routing.logits,
                      .probs = routing.probs,
                      .counts = at::bincount(routing.expert.reshape({-1}), {}, experts)};
  const auto all = global_balance(world, mine);
  std::vector<at::Tensor> parts;
  for (const auto kind : layer.aux) {
    parts.push_back(global_aux_part(kind, layer.estimator, mine, all, world.size()));
  }
  return parts;
}

}  // namespace

std::vector<at::Tensor> layer_aux(comm::Communicator& world, const MoeLayer& layer, const Routing& routing,
                                  const std::vector<Kept>& kept, const TokenSpan& span) {
  if (layer.aux.empty()) return {};
  return layer.aux_scope == Scope::global ? global_parts(world, layer, routing)
                                          : local_parts(layer, routing, kept, span);
}

}  // namespace duet
