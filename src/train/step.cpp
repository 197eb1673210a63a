#include "train/step.h"

#include <algorithm>

#include "comm/tensors.h"
#include "core/gpu/gpu.h"
#include "moe/choice_bias.h"
#include "parallel/gradient_sync.h"
#include "trace/recorder.h"
#include "train/forward.h"

namespace duet {

namespace {

using trace::Direction;
using trace::Phase;
using Timed = trace::Recorder::Scope;

// W times this rank's part of the micro-batch's part of the global loss; `result` takes the part's figures.
at::Tensor scaled_loss(const std::vector<LayerOutput>& layers, const Batch& batch, const StepRules& rules,
                       int world_size, double micro_share, StepResult& result) {
  const auto elements = static_cast<double>(std::max<std::int64_t>(1, batch.shards.global_tokens * batch.x.size(1)));
  const auto squared_error = at::mse_loss(layers.back().out, batch.target, at::Reduction::Sum);
  result.loss += squared_error.item<double>() / elements;
  auto loss = squared_error * (world_size / elements);
  for (const auto& layer : layers) {
    for (std::size_t i = 0; i < layer.aux.size(); ++i) {
      result.aux[i] += micro_share * layer.aux[i].item<double>();
      loss = loss.add(layer.aux[i], /*alpha=*/world_size * micro_share * rules.aux_weights[i]);
    }
  }
  return loss;
}

void synchronise(const MeshGroups& groups, RankModel& model, const StepRules& rules, StepResult& result) {
  const auto replicated = model.replicated_gradients(), experts = model.expert_gradients();
  sync_gradients(*groups.world, *groups.dp, replicated, experts);
  if (rules.clip_norm <= 0) return;
  result.clip_factor = clip_gradients(model.gradients, gradient_norm(*groups.ep, replicated, experts), rules.clip_norm);
}

// The counts of the whole batch, all micro-batches of it, move the biases: the same on every rank.
void move_biases(const MeshGroups& groups, RankModel& model, double rate, const StepResult& result) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> counts;
  for (const auto& layer : model.layers)
    counts.push_back(at::zeros({layer.placement.experts}, model.values.options().dtype(at::kLong)));
  for (const auto& layers : result.outputs) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      for (const auto& shard : layers[l].kept) counts[l].add_(shard.counts);
    }
  }
  const auto all = at::stack(counts);
  comm::all_reduce(*groups.world, all);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    move_choice_bias(model.layers[l].router.choice_bias, all[static_cast<std::int64_t>(l)], rate);
  }
}

}  // namespace

StepRules step_rules(const RunConfig& config) {
  StepRules rules{.aux_weights = {},
                  .input_grad = config.input_grad,
                  .clip_norm = config.optimizer.clip_norm,
                  .bias_rate = config.model.bias_rate};
  for (const auto& term : config.model.aux) rules.aux_weights.push_back(term.weight);
  return rules;
}

StepResult train_step(const MeshGroups& groups, RankModel& model, Adam& adam, const std::vector<StepInput>& inputs,
                      const StepRules& rules) {
  auto* const recorder = groups.world->recorder();
  StepResult result;
  result.aux.resize(rules.aux_weights.size());
  const bool global_aux = model.layers.front().aux_scope == Scope::global;
  model.gradients.zero_();
  for (const auto& [batch, draws] : inputs) {
    const auto x = batch.x.detach().requires_grad_(rules.input_grad);
    auto& layers = result.outputs.emplace_back(model_forward(groups, model, x, batch.shards, draws));
    at::Tensor loss;
    {
      const Timed timed(recorder, Phase::loss, Direction::forward);
      // A local auxiliary loss is divided by all shards of the batch already; a global one is each micro-batch's own.
      const double share = global_aux ? 1.0 / static_cast<double>(inputs.size()) : 1.0;
      loss = scaled_loss(layers, batch, rules, groups.world->size(), share, result);
    }
    const Timed timed(recorder, Phase::backward, Direction::backward);
    loss.backward();
  }
  {
    const Timed timed(recorder, Phase::grad_sync, Direction::backward);
    synchronise(groups, model, rules, result);
  }
  const Timed timed(recorder, Phase::optimizer, Direction::forward);
  adam.step(model.gradients);
  if (rules.bias_rate > 0) move_biases(groups, model, rules.bias_rate, result);
  gpu::synchronise(model.values.device());  // a step ends when its work does, not when the last of it was started
  return result;
}

}  // namespace duet
