#include "tests/oracle/product.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "moe/capacity_rule.h"
#include "tests/comm/transports.h"
#include "tests/oracle/product_parts.h"
#include "train/draws.h"
#include "train/forward.h"
#include "train/ranks.h"
#include "train/step.h"

namespace duet::test {

namespace {

std::vector<double> numbers(const at::Tensor& tensor) {
  const auto flat = tensor.detach().to(at::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

template <typename Target, typename Source>
void lay(Target& target, const Source& source, std::int64_t first) {
  std::copy(source.begin(), source.end(), target.begin() + first);
}

at::ScalarType dtype_of(const RunConfig& config) { return config.float64 ? at::kDouble : at::kFloat; }

ShardRange whole_batch(const RunConfig& config) { return shards_of(0, 1, shard_sizes(config)); }

ProductStep empty_step(const RunConfig& config, std::int64_t number) {
  const auto tokens = static_cast<std::size_t>(whole_batch(config).global_tokens);
  const auto width = static_cast<std::size_t>(config.model.dim);
  const auto pairs = tokens * static_cast<std::size_t>(config.model.top_k);
  const auto layers = static_cast<std::size_t>(config.model.layers);
  ProductStep step;
  step.out.resize(tokens * width);
  if (takes_input_gradient(number)) step.input_gradient.resize(tokens * width);
  step.losses.resize(static_cast<std::size_t>(config.layout.ranks));
  step.auxes.resize(step.losses.size());
  step.expert.assign(layers, std::vector<std::int64_t>(pairs));
  step.kept.assign(layers, std::vector<bool>(pairs));
  return step;
}

/// One rank of the run, which lays down what is its own.
class Rank {
 public:
  Rank(comm::Communicator& world, const RunConfig& config, ProductRun& run)
      : config_(config),
        run_(run),
        layout_(layout_of(config, Mode::ep)),
        groups_(split_mesh(world, layout_.mesh, nullptr)),
        data_(config.data, config.model.dim, dtype_of(config)),
        model_(make_model(config.model, config.data.seed, layout_, world.rank(), dtype_of(config))),
        adam_(model_.values, config.optimizer) {}

  void train() {
    for (std::int64_t step = 0; step < config_.steps; ++step) {
      const auto inputs = inputs_of(step);
      std::vector<at::Tensor> input_gradients;
      if (takes_input_gradient(step)) input_gradients = gradients_of_inputs(inputs);
      const auto result = train_step(groups_, model_, adam_, inputs, step_rules(config_));
      auto& target = run_.steps[static_cast<std::size_t>(step)];
      lay_down(target, result);
      for (std::size_t part = 0; part < inputs.size(); ++part) {
        lay_down(target, result.outputs[part], inputs[part].batch.shards.first_token);
        if (input_gradients.empty()) continue;
        const auto first = inputs[part].batch.shards.first_token * config_.model.dim;
        lay(target.input_gradient, numbers(input_gradients[part]), first);
      }
    }
    for (const auto& parameter : model_.parameters) run_.parameters[parameter.name] = numbers(parameter.tensor);
    for (const auto& state : model_.state) run_.parameters[state.name] = numbers(state.tensor);
  }

 private:
  std::vector<StepInput> inputs_of(std::int64_t step) const {
    std::vector<StepInput> inputs;
    const auto& world = *groups_.world;
    for (const auto& shards : micro_batches_of(world.rank(), world.size(), shard_sizes(config_), config_.accumulate)) {
      auto& input = inputs.emplace_back(StepInput{.batch = data_.batch(step, shards), .draws = {}});
      for (std::int64_t layer = 0; layer < config_.model.layers; ++layer) {
        input.draws.push_back(draw_router(config_, step, layer, shards, dtype_of(config_)));
      }
    }
    return inputs;
  }

  // train_step keeps its input to itself; the same forward and loss, with an input of ours.
  std::vector<at::Tensor> gradients_of_inputs(const std::vector<StepInput>& inputs) {
    const auto rules = step_rules(config_);
    const double share = config_.model.aux_scope == Scope::global ? 1.0 / static_cast<double>(inputs.size()) : 1.0;
    std::vector<at::Tensor> gradients;
    for (const auto& [batch, draws] : inputs) {
      const auto x = batch.x.detach().requires_grad_(true);
      const auto layers = model_forward(groups_, model_, x, batch.shards, draws);
      const auto elements = std::max<std::int64_t>(1, batch.shards.global_tokens * config_.model.dim);
      auto loss = at::mse_loss(layers.back().out, batch.target, at::Reduction::Sum) / elements;
      for (const auto& layer : layers) {
        for (std::size_t i = 0; i < layer.aux.size(); ++i) loss = loss + layer.aux[i] * (share * rules.aux_weights[i]);
      }
      loss.backward();
      gradients.push_back(x.grad());
    }
    return gradients;
  }

  void lay_down(ProductStep& step, const StepResult& result) {
    const auto rank = static_cast<std::size_t>(groups_.world->rank());
    step.losses[rank] = result.loss;
    step.auxes[rank] = result.aux;
    for (const auto& parameter : model_.parameters) step.gradients[parameter.name] = numbers(parameter.tensor.grad());
  }

  // A micro-batch whose first token has the global index `first`.
  void lay_down(ProductStep& step, const std::vector<LayerOutput>& layers, std::int64_t first) {
    lay(step.out, numbers(layers.back().out), first * config_.model.dim);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const auto chosen = layers[l].routing.expert.contiguous();
      const auto kept = layers[l].plan->position.lt(layers[l].plan->rows()).to(at::kLong).contiguous();
      const auto flat = [](const at::Tensor& all) {
        return std::span(all.data_ptr<std::int64_t>(), static_cast<std::size_t>(all.numel()));
      };
      lay(step.expert[l], flat(chosen), first * config_.model.top_k);
      lay(step.kept[l], flat(kept), first * config_.model.top_k);
    }
  }

  const RunConfig& config_;
  ProductRun& run_;
  Layout layout_;
  MeshGroups groups_;
  DataSource data_;
  RankModel model_;
  Adam adam_;
};

}  // namespace

reference::Parameters initial_parameters(const RunConfig& config) {
  const auto layout = layout_of(config, Mode::single);
  const auto model = make_model(config.model, config.data.seed, layout, 0, at::kDouble);
  reference::Parameters parameters;
  for (const auto& parameter : model.parameters) parameters[parameter.name] = numbers(parameter.tensor);
  for (const auto& state : model.state) parameters[state.name] = numbers(state.tensor);
  return parameters;
}

namespace {

// Which shards make a micro-batch: on every layout a run of them, as equal as can be.
std::vector<std::vector<std::int64_t>> runs_of_shards(const RunConfig& config) {
  const auto shards = std::ssize(shard_sizes(config)), parts = config.accumulate;
  std::vector<std::vector<std::int64_t>> runs;
  for (std::int64_t part = 0; part < parts; ++part) {
    auto& run = runs.emplace_back();
    for (auto shard = shards * part / parts; shard < shards * (part + 1) / parts; ++shard) run.push_back(shard);
  }
  return runs;
}

std::vector<double> numbers_if(const at::Tensor& tensor) {
  return tensor.defined() ? numbers(tensor) : std::vector<double>();
}

}  // namespace

reference::Batch global_batch(const RunConfig& config, std::int64_t step) {
  const auto shards = whole_batch(config);
  const auto batch = DataSource(config.data, config.model.dim, at::kDouble).batch(step, shards);
  reference::Batch global{.x = numbers(batch.x),
                          .target = numbers(batch.target),
                          .shard_tokens = shards.tokens,
                          .micro_batches = runs_of_shards(config),
                          .draws = {}};
  for (std::int64_t layer = 0; layer < config.model.layers; ++layer) {
    const auto draws = draw_router(config, step, layer, shards, at::kDouble);
    global.draws.push_back(
        {.jitter = numbers_if(draws.jitter), .noise = numbers_if(draws.noise), .drop = numbers_if(draws.drop)});
  }
  return global;
}

reference::Rules rules_of(const RunConfig& config) {
  const auto& model = config.model;
  const auto factor = parse_capacity_factor(model.capacity_factor);
  reference::Rules rules{.dim = model.dim,
                         .hidden = model.hidden,
                         .experts = model.experts,
                         .layers = model.layers,
                         .top_k = model.top_k,
                         .swiglu = model.expert == ExpertKind::swiglu,
                         .router_bias = model.router_bias,
                         .renormalize = model.renormalize,
                         .capacity_numerator = factor ? factor->numerator : 0,
                         .capacity_denominator = factor ? factor->denominator : 1,
                         .limited = factor.has_value(),
                         .min_capacity = model.min_capacity,
                         .global_capacity = model.capacity_scope == Scope::global,
                         .slot_order = model.slot_order == SlotOrder::choice ? "choice" : "token",
                         .residual = model.residual,
                         .aux = {},
                         .global_aux = model.aux_scope == Scope::global,
                         .population = model.estimator == Estimator::population};
  if (model.drop == DropPolicy::probability) rules.drop = "probability";
  if (model.drop == DropPolicy::random) rules.drop = "random";
  for (const auto& term : model.aux) rules.aux.push_back({.kind = name(term.kind), .weight = term.weight});
  return rules;
}

namespace {

// On the ranks that this program's main chose; on threads as the product starts them otherwise.
void run_on_chosen_ranks(const RunConfig& config, const comm::Body& body) {
  if (comm::chosen_transports().empty()) return run_on_ranks(config, body);
  comm::transports().front().run(config.layout.ranks, std::chrono::seconds(20), [&](comm::Communicator& world) {
    at::set_num_threads(1);
    world.set_algorithms(config.algorithms);
    body(world);
  });
}

}  // namespace

ProductRun run_product(const RunConfig& config) {
  ProductRun empty;
  for (std::int64_t step = 0; step < config.steps; ++step) empty.steps.push_back(empty_step(config, step));
  std::vector<ProductRun> parts(static_cast<std::size_t>(config.layout.ranks), empty);
  std::vector<std::string> noted(parts.size());
  run_on_chosen_ranks(config, [&](comm::Communicator& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    Rank(world, config, parts[rank]).train();
    if (!world.shares_memory()) noted[rank] = to_bytes(parts[rank]);
  });
  comm::transports().front().share(noted);
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    if (!noted[rank].empty()) parts[rank] = part_from(noted[rank]);
  }
  return merged(parts);
}

}  // namespace duet::test
