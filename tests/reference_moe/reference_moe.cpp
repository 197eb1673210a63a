#include "tests/reference_moe/reference_moe.h"

#include <algorithm>

#include "tests/reference_moe/layer_state.h"

namespace duet::reference {

namespace {

Values row_of(const Values& all, std::int64_t t, std::int64_t width) {
  return {all.begin() + t * width, all.begin() + (t + 1) * width};
}

/// Which tokens count together.
struct Groups {
  std::vector<Tokens> shards, micro_batches;
};

Groups groups_of(const Batch& batch) {
  Groups groups;
  std::int64_t next = 0;
  for (const auto size : batch.shard_tokens) {
    auto& shard = groups.shards.emplace_back();
    for (std::int64_t i = 0; i < size; ++i) shard.push_back(next++);
  }
  for (const auto& shards : batch.micro_batches) {
    auto& micro_batch = groups.micro_batches.emplace_back();
    for (const auto shard : shards) {
      const auto& tokens = at(groups.shards, shard);
      micro_batch.insert(micro_batch.end(), tokens.begin(), tokens.end());
    }
  }
  if (!batch.micro_batches.empty()) return groups;
  auto& all = groups.micro_batches.emplace_back();
  for (std::int64_t t = 0; t < next; ++t) all.push_back(t);
  return groups;
}

LayerState empty_layer(const Parameters& parameters, const Rules& rules, const Draws& draws, std::int64_t number,
                       const Values& x, Parameters& gradients) {
  const auto tokens = static_cast<std::int64_t>(x.size()) / rules.dim;
  const auto pairs = static_cast<std::size_t>(tokens * rules.top_k);
  return {.rules = rules,
          .parameters = parameters,
          .gradients = gradients,
          .name = "layer." + std::to_string(number) + ".",
          .draws = draws,
          .tokens = tokens,
          .x = x,
          .logits = zeros(tokens * rules.experts),
          .probs = zeros(tokens * rules.experts),
          .chosen = {.expert = std::vector<std::int64_t>(pairs),
                     .gate = Values(pairs),
                     .kept = std::vector<bool>(pairs),
                     .counts = std::vector<std::int64_t>(static_cast<std::size_t>(rules.experts))},
          .grad_logits = zeros(tokens * rules.experts),
          .grad_probs = zeros(tokens * rules.experts),
          .grad_gate = Values(pairs),
          .grad_x = zeros(tokens * rules.dim)};
}

// Each kept pair adds its expert's output, times its gate; with `residual` a dropped one adds the token.
Values combine(const LayerState& layer) {
  const auto dim = layer.rules.dim;
  auto out = zeros(layer.tokens * dim);
  for (std::int64_t pair = 0; pair < layer.tokens * layer.rules.top_k; ++pair) {
    const auto t = pair / layer.rules.top_k;
    const auto row = row_of(layer.x, t, dim);
    const bool kept = layer.chosen.kept[static_cast<std::size_t>(pair)];
    if (!kept && !layer.rules.residual) continue;
    const auto y = kept ? expert_output(layer, at(layer.chosen.expert, pair), row) : row;
    const double gate = kept ? at(layer.chosen.gate, pair) : 1;
    for (std::int64_t d = 0; d < dim; ++d) at(out, t * dim + d) += gate * at(y, d);
  }
  return out;
}

void combine_back(LayerState& layer, const Values& grad_out) {
  const auto dim = layer.rules.dim;
  for (std::int64_t pair = 0; pair < layer.tokens * layer.rules.top_k; ++pair) {
    const auto t = pair / layer.rules.top_k, e = at(layer.chosen.expert, pair);
    const bool kept = layer.chosen.kept[static_cast<std::size_t>(pair)];
    if (!kept && !layer.rules.residual) continue;
    auto grad_row = row_of(grad_out, t, dim);
    if (kept) {
      const auto row = row_of(layer.x, t, dim);
      const auto y = expert_output(layer, e, row);
      auto grad_y = grad_row;
      for (std::int64_t d = 0; d < dim; ++d) {
        at(layer.grad_gate, pair) += at(grad_row, d) * at(y, d);
        at(grad_y, d) *= at(layer.chosen.gate, pair);
      }
      grad_row = expert_back(layer, e, row, grad_y);
    }
    for (std::int64_t d = 0; d < dim; ++d) at(layer.grad_x, t * dim + d) += at(grad_row, d);
  }
}

// Local losses are means over shards, global ones over micro-batches.
Values forward(LayerState& layer, const Groups& groups, Values& aux) {
  route(layer);
  for (const auto& group : layer.rules.global_capacity ? groups.micro_batches : groups.shards) keep(layer, group);
  const auto& balanced = layer.rules.global_aux ? groups.micro_batches : groups.shards;
  for (const auto& group : balanced) balance(layer, group, 1 / static_cast<double>(balanced.size()), aux);
  return combine(layer);
}

}  // namespace

Result forward_backward(const Parameters& parameters, const Batch& batch, const Rules& rules) {
  const auto groups = groups_of(batch);
  Result result;
  result.aux.resize(rules.aux.size());
  for (const auto& [name, values] : parameters) {
    if (!name.ends_with("choice_bias")) result.gradients[name].resize(values.size());
  }
  const std::vector<Draws> none(static_cast<std::size_t>(rules.layers));
  std::vector<LayerState> layers;
  result.out = batch.x;
  for (std::int64_t l = 0; l < rules.layers; ++l) {
    const auto& draws = at(batch.draws.empty() ? none : batch.draws, l);
    layers.push_back(empty_layer(parameters, rules, draws, l, result.out, result.gradients));
    result.out = forward(layers.back(), groups, result.aux);
    result.smallest_margin = std::min(result.smallest_margin, layers.back().smallest_margin);
    result.layers.push_back(layers.back().chosen);
  }
  auto grad = Values(result.out.size());
  for (std::size_t i = 0; i < grad.size(); ++i) {
    const double error = result.out[i] - batch.target[i];
    result.mse += error * error / static_cast<double>(grad.size());
    grad[i] = 2 * error / static_cast<double>(grad.size());
  }
  for (auto l = rules.layers - 1; l >= 0; --l) {
    combine_back(at(layers, l), grad);
    route_back(at(layers, l));
    grad = at(layers, l).grad_x;
  }
  result.input_gradient = grad;
  return result;
}

}  // namespace duet::reference
