#include "train/step.h"

#include <algorithm>

#include "parallel/gradient_sync.h"
#include "trace/recorder.h"

namespace duet {

namespace {

using trace::Direction;
using trace::Phase;
using Scope = trace::Recorder::Scope;

// W times this rank's part of the global loss; `result` takes the part's figures.
at::Tensor scaled_loss(const LayerOutput& output, const Batch& batch, const StepRules& rules, int world_size,
                       StepResult& result) {
  const auto elements = static_cast<double>(std::max<std::int64_t>(1, batch.shards.global_tokens * batch.x.size(1)));
  const auto shards = static_cast<double>(batch.shards.global_shards);
  const auto squared_error = at::mse_loss(output.out, batch.target, at::Reduction::Sum);
  result.loss = squared_error.item<double>() / elements;
  auto loss = squared_error * (world_size / elements);
  for (const auto& shard_aux : output.aux) {
    result.aux += shard_aux.item<double>() / shards;
    loss = loss.add(shard_aux, /*alpha=*/world_size * rules.aux_weight / shards);
  }
  return loss;
}

}  // namespace

StepResult train_step(const MeshGroups& groups, RankModel& model, Adam& adam, const Batch& batch,
                      const StepRules& rules) {
  auto* const recorder = groups.world->recorder();
  StepResult result;
  const auto x = batch.x.detach().requires_grad_(rules.input_grad);
  result.output = moe_forward(*groups.ep, model.layer, x, batch.shards.tokens, batch.shards.first_token);
  at::Tensor loss;
  {
    const Scope scope(recorder, Phase::loss, Direction::forward);
    loss = scaled_loss(result.output, batch, rules, groups.world->size(), result);
  }
  {
    const Scope scope(recorder, Phase::backward, Direction::backward);
    model.gradients.zero_();
    loss.backward();
  }
  {
    const Scope scope(recorder, Phase::grad_sync, Direction::backward);
    sync_gradients(*groups.world, *groups.dp, model.replicated_gradients(), model.expert_gradients());
  }
  {
    const Scope scope(recorder, Phase::optimizer, Direction::forward);
    adam.step(model.gradients);
  }
  return result;
}

}  // namespace duet
