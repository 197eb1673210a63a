#include "train/record_step.h"

#include <algorithm>
#include <cmath>

#include "train/record_tokens.h"

namespace duet {

namespace {

std::vector<std::int64_t> to_vector(const at::Tensor& counts) {
  const auto host = counts.to(at::kCPU).contiguous();
  return {host.data_ptr<std::int64_t>(), host.data_ptr<std::int64_t>() + host.numel()};
}

trace::DropReason reason_of(DropPolicy policy) {
  switch (policy) {
    case DropPolicy::probability:
      return trace::DropReason::low_probability;
    case DropPolicy::random:
      return trace::DropReason::random;
    case DropPolicy::position:
      break;
  }
  return trace::DropReason::over_capacity;
}

double entropy_sum(const Routing& routing) {
  const auto log_probs = at::log_softmax(routing.logits.detach(), 1);
  return -(log_probs.exp() * log_probs).nan_to_num(0).sum().item<double>();  // 0 * -inf is 0 here
}

// Adds a micro-batch's routing to the layer's.
void add(trace::LayerStep& step, const LayerOutput& output, const MoeLayer& layer, std::int64_t first_token,
         bool record_each) {
  auto counts = at::zeros({layer.placement.experts}, output.routing.expert.options());
  for (const auto& kept : output.kept) counts.add_(kept.counts);
  const auto wanted = to_vector(counts);
  const auto& sent = output.plan->send_rows;  // kept pairs of each expert, in expert order
  step.tokens_per_expert.resize(wanted.size());
  step.dropped_per_expert.resize(wanted.size());
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    step.tokens_per_expert[e] += wanted[e];
    step.dropped_per_expert[e] += wanted[e] - sent[e];
  }
  step.drop_reason = reason_of(layer.capacity.drop);
  step.token_count += output.out.size(0);
  step.entropy_sum += entropy_sum(output.routing);
  if (!record_each) return;
  for (auto& token : record_tokens(output, first_token, step.drop_reason)) step.tokens.push_back(std::move(token));
}

// Tokens of all micro-batches, [T, layers * k], on the CPU.
at::Tensor choices_of(const StepResult& result) {
  std::vector<at::Tensor> micro_batches;
  for (const auto& layers : result.outputs) {
    std::vector<at::Tensor> choices;
    choices.reserve(layers.size());
    for (const auto& layer : layers) choices.push_back(layer.routing.expert);
    micro_batches.push_back(choices.size() == 1 ? choices.front() : at::cat(choices, 1));
  }
  return (micro_batches.size() == 1 ? micro_batches.front() : at::cat(micro_batches)).to(at::kCPU);
}

at::Tensor kinds_of(const std::vector<StepInput>& inputs) {
  std::vector<at::Tensor> kinds;
  kinds.reserve(inputs.size());
  for (const auto& input : inputs) kinds.push_back(input.batch.kind);
  return at::cat(kinds);
}

double router_grad_norm(const RankModel& model) {
  double squares = 0;
  for (const auto& layer : model.layers) {
    for (const auto* weight : {&layer.router.weight, &layer.router.bias}) {
      if (weight->defined()) squares += weight->grad().to(at::kDouble).square().sum().item<double>();
    }
  }
  return std::sqrt(squares);
}

std::int64_t capacity_of(const RunConfig& config, const MoeLayer& layer, const ShardRange& shards) {
  std::int64_t largest = -1;
  const auto look = [&](std::int64_t tokens) {
    const auto limit = layer.capacity.limit(tokens, config.model.experts, config.model.top_k);
    if (limit) largest = std::max(largest, *limit);
  };
  if (layer.capacity.scope == Scope::global) {
    look(std::accumulate(shards.rank_tokens.begin(), shards.rank_tokens.end(), std::int64_t{0}));
  } else {
    for (const auto tokens : shards.tokens) look(tokens);
  }
  return largest;
}

}  // namespace

RankStepResult record_step(const RunConfig& config, const RankModel& model, const StepResult& result,
                           const std::vector<StepInput>& inputs) {
  const at::NoGradGuard no_grad;
  RankStepResult out;
  out.loss = result.loss;
  out.aux = result.aux;
  out.router_grad_norm = router_grad_norm(model) / result.clip_factor;
  out.expert = choices_of(result);
  out.kind = kinds_of(inputs);
  auto norms = expert_gradient_norms(model);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    auto& step = out.record.layers.emplace_back();
    for (std::size_t m = 0; m < inputs.size(); ++m) {
      add(step, result.outputs[m][l], model.layers[l], inputs[m].batch.shards.first_token, config.record_tokens);
    }
    step.expert_grad_norm = std::move(norms[l]);
    for (auto& norm : step.expert_grad_norm) norm /= result.clip_factor;
  }
  for (const auto& input : inputs) {
    out.capacity = std::max(out.capacity, capacity_of(config, model.layers.front(), input.batch.shards));
  }
  return out;
}

}  // namespace duet
