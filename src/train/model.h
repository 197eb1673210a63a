#pragma once
/// One rank's parameters. All values lie in one flat tensor, and all gradients in another: what every rank holds
/// first (the routers of all layers), then this rank's experts, layer by layer. So synchronising is one all-reduce a
/// group and Adam is one call, without copies.
#include "core/tensor.h"
#include "moe/layer.h"
#include "parallel/layout.h"
#include "train/config.h"

namespace duet {

/// A parameter by its global name: "layer.0.router.weight", "layer.1.expert.3.w1" (3 is the global expert id).
struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

struct RankModel {
  std::vector<MoeLayer> layers;
  at::Tensor values;            ///< [n + m]
  at::Tensor gradients;         ///< [n + m]; the parameters' .grad are views of it
  std::int64_t replicated = 0;  ///< n: how many of them every rank holds (all, when ep is 1)
  std::vector<NamedTensor> parameters;
  std::vector<NamedTensor> state;  ///< what is not learnt but kept: "layer.0.router.choice_bias"; every rank has all

  /// Gradients of what every rank holds, and of what only the ranks with the same experts share.
  at::Tensor replicated_gradients() const { return gradients.narrow(0, 0, replicated); }
  at::Tensor expert_gradients() const { return gradients.narrow(0, replicated, gradients.numel() - replicated); }
};

/// Makes the parameters of `rank`, uniform in +-1/sqrt(fan in) as torch's Linear. A tensor's numbers depend on the seed
/// and its global name only, never on rank or layout: the same model on every layout, and no two experts alike (Tutel
/// issue #87).
///
/// @param options the parameters' precision and device
RankModel make_model(const ModelConfig& config, std::uint64_t seed, const Layout& layout, int rank,
                     const at::TensorOptions& options);

/// Gives every layer the configuration's rules: capacity, drops, auxiliary losses. Parameters stay as they are.
void set_rules(RankModel& model, const ModelConfig& config);

/// The name and sizes of a parameter.
struct ParameterShape {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::int64_t fan_in = 1;

  std::int64_t numel() const { return c10::multiply_integers(sizes); }
};

/// The parameters of `rank` in the order in which RankModel::values holds them.
std::vector<ParameterShape> parameter_shapes(const ModelConfig& config, const Layout& layout, int rank);

/// The whole model from what each rank holds, on the CPU, sorted by global name; of a repeated parameter, the first
/// rank's.
std::vector<NamedTensor> join_by_name(const std::vector<std::vector<NamedTensor>>& ranks);

/// The norm of the gradient of each expert that this rank holds. [layers][local experts]
std::vector<std::vector<double>> expert_gradient_norms(const RankModel& model);

}  // namespace duet
