#pragma once
/// Runs the product on a layout and gives back what the oracle gives: plain numbers of the whole batch.
#include <map>
#include <string>
#include <vector>

#include "tests/reference_moe/reference_moe.h"
#include "train/config.h"

namespace duet::test {

/// The whole batch of a step, all ranks together.
struct ProductStep {
  double loss = 0;
  double aux = 0;
  std::vector<double> out, input_gradient;  ///< [T, D]
  std::vector<std::int64_t> expert;         ///< [T, k]
  std::vector<bool> kept;                   ///< [T, k]
  reference::Parameters gradients;          ///< after synchronising, before Adam
};

struct ProductRun {
  std::vector<ProductStep> steps;
  reference::Parameters parameters;  ///< after the last step
};

/// The parameters that a run starts from, by global name.
reference::Parameters initial_parameters(const RunConfig& config);

/// The global batch of a step.
reference::Batch global_batch(const RunConfig& config, std::int64_t step);

reference::Rules rules_of(const RunConfig& config);

/// Trains `config.steps` steps in float64 on config.layout.
ProductRun run_product(const RunConfig& config);

}  // namespace duet::test
