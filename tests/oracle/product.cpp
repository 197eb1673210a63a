#include "tests/oracle/product.h"

#include <algorithm>
#include <mutex>

#include "moe/capacity_rule.h"
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

ShardRange whole_batch(const RunConfig& config) {
  return shards_of(0, 1, shard_sizes(config.data, config.layout.ranks));
}

ProductStep empty_step(const RunConfig& config, std::int64_t number) {
  const auto tokens = static_cast<std::size_t>(whole_batch(config).global_tokens);
  const auto width = static_cast<std::size_t>(config.model.dim);
  const auto choices = static_cast<std::size_t>(config.model.top_k);
  ProductStep step;
  step.out.resize(tokens * width);
  if (takes_input_gradient(number)) step.input_gradient.resize(tokens * width);
  step.losses.resize(static_cast<std::size_t>(config.layout.ranks));
  step.auxes.resize(step.losses.size());
  step.expert.resize(tokens * choices);
  step.kept.resize(tokens * choices);
  return step;
}

/// One rank of the run; `lock` guards what the ranks lay down.
class Rank {
 public:
  Rank(comm::Communicator& world, const RunConfig& config, ProductRun& run, std::mutex& lock)
      : config_(config),
        run_(run),
        lock_(lock),
        layout_(layout_of(config, Mode::ep)),
        groups_(split_mesh(world, layout_.mesh, nullptr)),
        shards_(shards_of(world.rank(), world.size(), shard_sizes(config.data, config.layout.ranks))),
        data_(config.data, config.model.dim, dtype_of(config)),
        model_(make_model(config.model, config.data.seed, layout_, world.rank(), dtype_of(config))),
        adam_(model_.values, config.optimizer) {}

  void train() {
    for (std::int64_t step = 0; step < config_.steps; ++step) {
      const auto batch = data_.batch(step, shards_);
      const auto input_gradient = takes_input_gradient(step) ? gradient_of_input(batch) : at::Tensor();
      const auto result = train_step(groups_, model_, adam_, batch, {.aux_weight = config_.model.aux.weight});
      const std::scoped_lock guard(lock_);
      lay_down(run_.steps[static_cast<std::size_t>(step)], result, input_gradient);
    }
    const std::scoped_lock guard(lock_);
    for (const auto& parameter : model_.parameters) lay_down(run_.parameters, parameter.name, parameter.tensor);
  }

 private:
  // train_step keeps its input to itself; the same forward and loss, with an input of ours.
  at::Tensor gradient_of_input(const Batch& batch) {
    const auto x = batch.x.detach().requires_grad_(true);
    const auto output = moe_forward(*groups_.ep, model_.layer, x, batch.shards.tokens, batch.shards.first_token);
    const auto elements = std::max<std::int64_t>(1, batch.shards.global_tokens * config_.model.dim);
    auto loss = at::mse_loss(output.out, batch.target, at::Reduction::Sum) / elements;
    for (const auto& aux : output.aux) loss = loss + aux * (config_.model.aux.weight / batch.shards.global_shards);
    loss.backward();
    return x.grad();
  }

  void lay_down(ProductStep& step, const StepResult& result, const at::Tensor& input_gradient) {
    const auto& routing = result.output.routing;
    const auto chosen = routing.expert.contiguous();
    const auto kept = result.output.plan->position.lt(result.output.plan->rows()).to(at::kLong).contiguous();
    const auto rank = static_cast<std::size_t>(groups_.world->rank());
    step.losses[rank] = result.loss;
    step.auxes[rank] = result.aux;
    lay(step.out, numbers(result.output.out), shards_.first_token * config_.model.dim);
    if (input_gradient.defined())
      lay(step.input_gradient, numbers(input_gradient), shards_.first_token * config_.model.dim);
    const auto first = shards_.first_token * config_.model.top_k;
    lay(step.expert, std::span(chosen.data_ptr<std::int64_t>(), static_cast<std::size_t>(chosen.numel())), first);
    lay(step.kept, std::span(kept.data_ptr<std::int64_t>(), static_cast<std::size_t>(kept.numel())), first);
    for (const auto& parameter : model_.parameters) lay_down(step.gradients, parameter.name, parameter.tensor.grad());
  }

  void lay_down(reference::Parameters& all, const std::string& name, const at::Tensor& tensor) {
    const auto values = numbers(tensor);
    const auto [there, first] = all.try_emplace(name, values);
    if (!first && there->second != values) run_.differs = name;
  }

  const RunConfig& config_;
  ProductRun& run_;
  std::mutex& lock_;
  Layout layout_;
  MeshGroups groups_;
  ShardRange shards_;
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
  return parameters;
}

reference::Batch global_batch(const RunConfig& config, std::int64_t step) {
  const auto shards = whole_batch(config);
  const auto batch = DataSource(config.data, config.model.dim, at::kDouble).batch(step, shards);
  return {.x = numbers(batch.x), .target = numbers(batch.target), .shard_tokens = shards.tokens};
}

reference::Rules rules_of(const RunConfig& config) {
  const auto factor = parse_capacity_factor(config.model.capacity_factor);
  return {.dim = config.model.dim,
          .hidden = config.model.hidden,
          .experts = config.model.experts,
          .top_k = config.model.top_k,
          .renormalize = config.model.renormalize,
          .capacity_numerator = factor ? factor->numerator : 0,
          .capacity_denominator = factor ? factor->denominator : 1,
          .aux = name(config.model.aux.kind),
          .aux_weight = config.model.aux.weight};
}

ProductRun run_product(const RunConfig& config) {
  ProductRun run;
  for (std::int64_t step = 0; step < config.steps; ++step) run.steps.push_back(empty_step(config, step));
  std::mutex lock;
  run_on_ranks(config, [&](comm::Communicator& world) { Rank(world, config, run, lock).train(); });
  return run;
}

}  // namespace duet::test
