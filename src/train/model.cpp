#include "train/model.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "train/keyed_random.h"

namespace duet {

namespace {

void initialise(const at::Tensor& tensor, const ParameterShape& shape, std::uint64_t seed) {
  const auto numbers = at::empty(shape.sizes, at::kDouble);
  const double bound = 1 / std::sqrt(static_cast<double>(shape.fan_in));
  fill_uniform(random_key(seed, shape.name), 0, -bound, bound,
               {numbers.data_ptr<double>(), static_cast<std::size_t>(numbers.numel())});
  tensor.copy_(numbers);
}

std::vector<ParameterShape> router_shapes(const ModelConfig& config, std::int64_t layer) {
  const auto name = fmt::format("layer.{}.router.", layer);
  std::vector<ParameterShape> shapes{{name + "weight", {config.experts, config.dim}, config.dim}};
  if (config.router_bias) shapes.push_back({name + "bias", {config.experts}, config.dim});
  return shapes;
}

std::vector<ParameterShape> expert_shapes(const ModelConfig& config, std::int64_t layer, std::int64_t expert) {
  const auto name = fmt::format("layer.{}.expert.{}.", layer, expert);
  const auto dim = config.dim, hidden = config.hidden;
  if (config.expert == ExpertKind::swiglu) {
    return {{name + "w1", {hidden, dim}, dim}, {name + "w3", {hidden, dim}, dim}, {name + "w2", {dim, hidden}, hidden}};
  }
  return {{name + "w1", {hidden, dim}, dim},
          {name + "b1", {hidden}, dim},
          {name + "w2", {dim, hidden}, hidden},
          {name + "b2", {dim}, hidden}};
}

/// Hands out the model's parameters in order, to build the layers from.
class Parameters {
 public:
  explicit Parameters(const std::vector<NamedTensor>& all) : next_(all.begin()) {}
  at::Tensor take() { return (next_++)->tensor; }

 private:
  std::vector<NamedTensor>::const_iterator next_;
};

AnyExpert take_expert(Parameters& parameters, ExpertKind kind) {
  if (kind == ExpertKind::swiglu) {
    SwigluWeights weights;
    for (auto* tensor : {&weights.w1, &weights.w3, &weights.w2}) *tensor = parameters.take();
    return weights;
  }
  ExpertWeights weights;
  for (auto* tensor : {&weights.w1, &weights.b1, &weights.w2, &weights.b2}) *tensor = parameters.take();
  return weights;
}

void set_layer_rules(MoeLayer& layer, const ModelConfig& config) {
  layer.capacity = {.factor = parse_capacity_factor(config.capacity_factor),
                    .minimum = config.min_capacity,
                    .drop = config.drop,
                    .slot_order = config.slot_order,
                    .scope = config.capacity_scope};
  layer.residual = config.residual;
  layer.aux.clear();
  for (const auto& term : config.aux) layer.aux.push_back(term.kind);
  layer.aux_scope = config.aux_scope;
  layer.estimator = config.estimator;
}

MoeLayer make_layer(const ModelConfig& config, const Layout& layout) {
  MoeLayer layer;
  layer.router.top_k = config.top_k;
  layer.router.renormalize = config.renormalize;
  layer.router.constant_gate = config.constant_gate;
  layer.placement = layout.placement;
  set_layer_rules(layer, config);
  return layer;
}

void make_layers(RankModel& model, const ModelConfig& config, const Layout& layout) {
  Parameters parameters(model.parameters);
  for (std::int64_t l = 0; l < config.layers; ++l) {
    auto& router = model.layers.emplace_back(make_layer(config, layout)).router;
    router.weight = parameters.take();
    if (config.router_bias) router.bias = parameters.take();
    if (config.bias_rate == 0) continue;
    router.choice_bias = at::zeros({config.experts}, model.values.options());
    model.state.push_back({fmt::format("layer.{}.router.choice_bias", l), router.choice_bias});
  }
  for (auto& layer : model.layers) {
    for (std::int64_t e = 0; e < layout.placement.per_rank(); ++e) {
      layer.experts.push_back(take_expert(parameters, config.expert));
    }
  }
}

}  // namespace

std::vector<ParameterShape> parameter_shapes(const ModelConfig& config, const Layout& layout, int rank) {
  std::vector<ParameterShape> shapes;
  const auto add = [&](std::vector<ParameterShape> more) {
    for (auto& shape : more) shapes.push_back(std::move(shape));
  };
  const auto& placement = layout.placement;
  const auto first = placement.first_on(layout.mesh.ep_index(rank));
  for (std::int64_t layer = 0; layer < config.layers; ++layer) add(router_shapes(config, layer));
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    for (std::int64_t e = 0; e < placement.per_rank(); ++e) add(expert_shapes(config, layer, first + e));
  }
  return shapes;
}

RankModel make_model(const ModelConfig& config, std::uint64_t seed, const Layout& layout, int rank,
                     const at::TensorOptions& options) {
  const auto shapes = parameter_shapes(config, layout, rank);
  std::int64_t total = 0, routers = 0;
  for (const auto& shape : shapes) {
    total += shape.numel();
    if (shape.name.find(".router.") != std::string::npos) routers += shape.numel();
  }
  RankModel model;
  model.values = at::empty({total}, options);
  model.gradients = at::zeros({total}, options);
  model.replicated = layout.all_replicated() ? total : routers;
  std::int64_t start = 0;
  for (const auto& shape : shapes) {
    auto parameter = model.values.narrow(0, start, shape.numel()).view(shape.sizes).detach();
    initialise(parameter, shape, seed);
    parameter.requires_grad_(true);
    parameter.mutable_grad() = model.gradients.narrow(0, start, shape.numel()).view(shape.sizes);
    model.parameters.push_back({shape.name, parameter});
    start += shape.numel();
  }
  make_layers(model, config, layout);
  return model;
}

void set_rules(RankModel& model, const ModelConfig& config) {
  for (auto& layer : model.layers) set_layer_rules(layer, config);
}

std::vector<NamedTensor> join_by_name(const std::vector<std::vector<NamedTensor>>& ranks) {
  std::map<std::string, at::Tensor> whole;
  for (const auto& rank : ranks) {
    for (const auto& parameter : rank) whole.try_emplace(parameter.name, parameter.tensor.detach());
  }
  std::vector<NamedTensor> parameters;
  parameters.reserve(whole.size());
  for (auto& [key, tensor] : whole) parameters.push_back({key, tensor.to(at::kCPU)});  // ranks have their own devices
  return parameters;
}

std::vector<std::vector<double>> expert_gradient_norms(const RankModel& model) {
  const at::NoGradGuard no_grad;
  const auto squares = [](const at::Tensor& weight) {
    return weight.defined() ? weight.grad().to(at::kDouble).square().sum().item<double>() : 0.0;
  };
  std::vector<std::vector<double>> norms;
  for (const auto& layer : model.layers) {
    auto& of_layer = norms.emplace_back();
    for (const auto& expert : layer.experts) {
      double sum = 0;
      if (const auto* relu = std::get_if<ExpertWeights>(&expert)) {
        for (const auto* weight : {&relu->w1, &relu->b1, &relu->w2, &relu->b2}) sum += squares(*weight);
      } else {
        const auto& gated = std::get<SwigluWeights>(expert);
        for (const auto* weight : {&gated.w1, &gated.w3, &gated.w2}) sum += squares(*weight);
      }
      of_layer.push_back(std::sqrt(sum));
    }
  }
  return norms;
}

}  // namespace duet
