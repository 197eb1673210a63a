#include "train/step.h"

#include <algorithm>

#include "parallel/gradient_sync.h"
#include "trace/recorder.h"

namespace duet {

namespace {

using trace::Direction;
using trace::Phase;
using Scope = trace::Recorder::Scope;

// This rank's part of the global loss; `result` takes its figures.
at::Tensor local_loss(const LayerOutput& output, const Batch& batch, const StepRules& rules, StepResult& result) {
  const auto elements = std::max<std::int64_t>(1, batch.shards.global_tokens * batch.x.size(1));
  auto loss = at::mse_loss(output.out, batch.target, at::Reduction::Sum) / elements;
  result.loss = loss.item<double>();
  for (const auto& shard_aux : output.aux) {
    const auto part = shard_aux / batch.shards.global_shards;
    result.aux += part.item<double>();
    loss = loss + part * rules.aux_weight;
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
    loss = local_loss(result.output, batch, rules, result) * groups.world->size();
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
