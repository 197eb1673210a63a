#include "train/model.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "train/keyed_random.h"

namespace duet {

namespace {

struct Shape {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::int64_t fan_in;

  std::int64_t numel() const { return c10::multiply_integers(sizes); }
};

std::vector<Shape> shapes_of(const ModelConfig& config, const Placement& placement, int ep_rank) {
  std::vector<Shape> shapes{{"router.weight", {config.experts, config.dim}, config.dim},
                            {"router.bias", {config.experts}, config.dim}};
  for (std::int64_t i = 0; i < placement.per_rank(); ++i) {
    const auto expert = fmt::format("expert.{}.", placement.first_on(ep_rank) + i);
    shapes.push_back({expert + "w1", {config.hidden, config.dim}, config.dim});
    shapes.push_back({expert + "b1", {config.hidden}, config.dim});
    shapes.push_back({expert + "w2", {config.dim, config.hidden}, config.hidden});
    shapes.push_back({expert + "b2", {config.dim}, config.hidden});
  }
  return shapes;
}

void initialise(const at::Tensor& tensor, const Shape& shape, std::uint64_t seed) {
  const auto numbers = at::empty(shape.sizes, at::kDouble);
  const double bound = 1 / std::sqrt(static_cast<double>(shape.fan_in));
  fill_uniform(random_key(seed, shape.name), 0, -bound, bound,
               {numbers.data_ptr<double>(), static_cast<std::size_t>(numbers.numel())});
  tensor.copy_(numbers);
}

}  // namespace

RankModel make_model(const ModelConfig& config, std::uint64_t seed, const Layout& layout, int rank,
                     at::ScalarType dtype) {
  const auto shapes = shapes_of(config, layout.placement, layout.mesh.ep_index(rank));
  std::int64_t total = 0;
  for (const auto& shape : shapes) total += shape.numel();

  RankModel model;
  model.values = at::empty({total}, dtype);
  model.gradients = at::zeros({total}, dtype);
  std::int64_t start = 0;
  for (const auto& shape : shapes) {
    auto parameter = model.values.narrow(0, start, shape.numel()).view(shape.sizes).detach();
    initialise(parameter, shape, seed);
    parameter.requires_grad_(true);
    parameter.mutable_grad() = model.gradients.narrow(0, start, shape.numel()).view(shape.sizes);
    model.parameters.push_back({shape.name, parameter});
    start += shape.numel();
  }
  const auto router = shapes[0].numel() + shapes[1].numel();
  model.replicated = layout.all_replicated() ? total : router;

  const auto& p = model.parameters;
  model.layer = {.router = {p[0].tensor, p[1].tensor, config.top_k, config.renormalize},
                 .experts = {},
                 .placement = layout.placement,
                 .capacity = {parse_capacity_factor(config.capacity_factor)},
                 .aux = config.aux.kind};
  for (std::size_t i = 2; i < p.size(); i += 4) {
    model.layer.experts.push_back({p[i].tensor, p[i + 1].tensor, p[i + 2].tensor, p[i + 3].tensor});
  }
  return model;
}

std::vector<NamedTensor> join_by_name(const std::vector<std::vector<NamedTensor>>& ranks) {
  std::map<std::string, at::Tensor> whole;
  for (const auto& rank : ranks) {
    for (const auto& parameter : rank) whole.try_emplace(parameter.name, parameter.tensor.detach());
  }
  std::vector<NamedTensor> parameters;
  parameters.reserve(whole.size());
  for (auto& [key, tensor] : whole) parameters.push_back({key, tensor});
  return parameters;
}

}  // namespace duet
