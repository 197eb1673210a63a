#pragma once
/// Runs the product on a layout and gives back what the oracle gives: plain numbers of the whole batch.
#include <map>
#include <string>
#include <vector>

#include "tests/reference_moe/reference_moe.h"
#include "train/config.h"

namespace duet::test {

/// The input's gradient costs a second forward and backward, so it is taken in some steps only.
constexpr bool takes_input_gradient(std::int64_t step) { return step % 5 == 0; }

/// The whole batch of a step, all ranks together.
struct ProductStep {
  std::vector<double> losses;                     ///< each rank's part
  std::vector<std::vector<double>> auxes;         ///< [ranks][losses]: each rank's part
  std::vector<double> out, input_gradient;        ///< [T, D]; the gradient only where takes_input_gradient(step)
  std::vector<std::vector<std::int64_t>> expert;  ///< [layers][T * k]
  std::vector<std::vector<bool>> kept;            ///< [layers][T * k]
  reference::Parameters gradients;                ///< after synchronising and clipping, before Adam

  bool operator==(const ProductStep&) const = default;
};

struct ProductRun {
  std::vector<ProductStep> steps;
  reference::Parameters parameters;  ///< after the last step, and the choice biases
  std::string differs;               ///< a gradient or parameter that two ranks hold unlike; they must be the same bits

  bool operator==(const ProductRun&) const = default;  ///< bit for bit
};

/// The parameters that a run starts from, by global name, in float64.
reference::Parameters initial_parameters(const RunConfig& config);

/// The global batch of a step, in float64.
reference::Batch global_batch(const RunConfig& config, std::int64_t step);

reference::Rules rules_of(const RunConfig& config);

/// Trains `config.steps` steps on config.layout, in float64 if config.float64, else in float32.
ProductRun run_product(const RunConfig& config);

}  // namespace duet::test
