#include "train/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "comm/point_to_point.h"
#include "core/error.h"

namespace duet {

namespace {

constexpr const char* mean_prefix = "adam.mean.";
constexpr const char* variance_prefix = "adam.variance.";

/// The three flat tensors that hold the same parameters in the same order.
struct Flat {
  at::Tensor values;
  at::Tensor mean;
  at::Tensor variance;

  Flat from(std::int64_t start) const {
    const auto behind = [start](const at::Tensor& flat) {
      return flat.detach().narrow(0, start, flat.numel() - start);
    };
    return {behind(values), behind(mean), behind(variance)};
  }
};

// Names the parts of `flat`, which holds the tensors of `shapes` one behind the other.
void name_parts(const Flat& flat, std::span<const ParameterShape> shapes, std::vector<NamedTensor>& named) {
  std::int64_t start = 0;
  for (const auto& shape : shapes) {
    const auto part = [&](const at::Tensor& whole) { return whole.narrow(0, start, shape.numel()).view(shape.sizes); };
    named.push_back({shape.name, part(flat.values)});
    named.push_back({mean_prefix + shape.name, part(flat.mean)});
    named.push_back({variance_prefix + shape.name, part(flat.variance)});
    start += shape.numel();
  }
}

// How many of a rank's parameters every rank holds: they come first, `replicated` numbers in all.
std::size_t count_replicated(std::span<const ParameterShape> shapes, std::int64_t replicated) {
  std::size_t count = 0;
  for (std::int64_t numbers = 0; count < shapes.size() && numbers < replicated; ++count) {
    numbers += shapes[count].numel();
  }
  return count;
}

Flat receive_experts(comm::Communicator& world, int from, std::span<const ParameterShape> experts,
                     const at::TensorOptions& options) {
  std::int64_t numbers = 0;
  for (const auto& shape : experts) numbers += shape.numel();
  Flat flat{at::empty({numbers}, options), at::empty({numbers}, options), at::empty({numbers}, options)};
  for (const auto* tensor : {&flat.values, &flat.mean, &flat.variance}) comm::receive(world, *tensor, from);
  return flat;
}

/// The state's tensors, to be taken by name.
class Tensors {
 public:
  explicit Tensors(const TrainState& state) {
    for (const auto& [name, tensor] : state.tensors) by_name_.emplace(name, tensor);
  }

  std::size_t size() const { return by_name_.size(); }

  void copy_to(const at::Tensor& to, const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) refuse(fmt::format("the checkpoint has no {}", name));
    const auto& from = found->second;
    if (from.sizes() != to.sizes()) {
      refuse(fmt::format("{} has the sizes [{}] in the checkpoint, and [{}] in this model", name,
                         fmt::join(from.sizes(), ", "), fmt::join(to.sizes(), ", ")));
    }
    if (from.scalar_type() != to.scalar_type()) {
      refuse(fmt::format("{} is {} in the checkpoint, and {} in this model", name, c10::toString(from.scalar_type()),
                         c10::toString(to.scalar_type())));
    }
    to.copy_(from);
  }

  [[noreturn]] static void refuse(std::string what) {
    throw InputError({.what = std::move(what),
                      .where = "the checkpoint",
                      .usually = "it is of a model with other sizes, --layers, --bias-rate or --float64",
                      .fix = "continue with the configuration that it was written with"});
  }

 private:
  std::unordered_map<std::string, at::Tensor> by_name_;
};

}  // namespace

TrainState gather_state(comm::Communicator& world, const ModelConfig& config, const Layout& layout,
                        const RankModel& model, const Adam& adam) {
  const at::NoGradGuard no_grad;
  const Flat mine{model.values, adam.mean(), adam.variance()};
  const bool apart = !layout.all_replicated();
  const int holders = apart ? layout.mesh.ep : 1;  // ranks [0, holders) hold everything between them
  TrainState state;
  if (world.rank() > 0) {
    if (world.rank() >= holders) return state;
    const auto experts = mine.from(model.replicated);
    for (const auto* tensor : {&experts.values, &experts.mean, &experts.variance}) comm::send(world, *tensor, 0);
    return state;
  }
  state.adam_steps = std::llround(adam.steps().item<float>());
  name_parts(mine.from(0), parameter_shapes(config, layout, 0), state.tensors);
  for (int rank = 1; rank < holders; ++rank) {
    const auto shapes = parameter_shapes(config, layout, rank);
    const auto experts = std::span(shapes).subspan(count_replicated(shapes, model.replicated));
    name_parts(receive_experts(world, rank, experts, model.values.options()), experts, state.tensors);
  }
  for (const auto& [name, tensor] : model.state) state.tensors.push_back({name, tensor.detach()});
  return state;
}

std::vector<NamedTensor> parameters_of(const TrainState& state) {
  std::set<std::string> learned;  // the routers' state has no moments
  for (const auto& [name, tensor] : state.tensors) {
    if (name.starts_with(mean_prefix)) learned.insert(name.substr(std::string_view(mean_prefix).size()));
  }
  std::vector<NamedTensor> parameters;
  for (const auto& named : state.tensors) {
    if (learned.contains(named.name)) parameters.push_back(named);
  }
  std::ranges::sort(parameters, {}, &NamedTensor::name);
  return parameters;
}

void load_state(const TrainState& state, const Layout& layout, RankModel& model, Adam& adam) {
  const at::NoGradGuard no_grad;
  const Tensors tensors(state);
  std::int64_t start = 0;
  std::size_t replicated = 0;
  for (const auto& [name, parameter] : model.parameters) {
    const auto part = [start, &parameter = parameter](const at::Tensor& flat) {
      return flat.narrow(0, start, parameter.numel()).view(parameter.sizes());
    };
    tensors.copy_to(part(model.values), name);
    tensors.copy_to(part(adam.mean()), mean_prefix + name);
    tensors.copy_to(part(adam.variance()), variance_prefix + name);
    if (start < model.replicated) ++replicated;
    start += parameter.numel();
  }
  for (const auto& [name, tensor] : model.state) tensors.copy_to(tensor, name);
  const auto experts = (model.parameters.size() - replicated) * static_cast<std::size_t>(layout.mesh.ep);
  const auto expected = 3 * (replicated + experts) + model.state.size();
  if (tensors.size() > expected) {  // one that is missing is named by the rank that needs it
    Tensors::refuse(fmt::format("the checkpoint has {} tensors, and this model {}", tensors.size(), expected));
  }
  adam.steps().fill_(static_cast<float>(state.adam_steps));
}

}  // namespace duet
