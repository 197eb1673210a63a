#include "train/forward.h"

#include <fmt/format.h>

#include "core/error.h"

namespace duet {

std::vector<LayerOutput> model_forward(const MeshGroups& groups, const RankModel& model, const at::Tensor& x,
                                       const ShardRange& shards, const std::vector<RouterDraws>& draws) {
  const TokenSpan span{.shard_tokens = shards.tokens,
                       .first_token = shards.first_token,
                       .global_shards = shards.global_shards,
                       .rank_tokens = shards.rank_tokens};
  auto* const recorder = groups.ep->recorder();
  std::vector<LayerOutput> outputs;
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    if (recorder != nullptr) recorder->set_layer(static_cast<int>(layer));
    const auto& input = outputs.empty() ? x : outputs.back().out;
    try {
      outputs.push_back(moe_forward({*groups.ep, *groups.world}, model.layers[layer], input, span,
                                    draws.empty() ? RouterDraws{} : draws[layer]));
    } catch (const InputError& error) {
      if (model.layers.size() == 1) throw;
      auto text = error.text();
      text.where = fmt::format("layer {}, {}", layer, text.where);
      throw InputError(text);
    }
  }
  if (recorder != nullptr) recorder->set_layer(0);
  return outputs;
}

}  // namespace duet
