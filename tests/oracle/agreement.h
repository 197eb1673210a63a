#pragma once
/// Runs the product and the oracle on the same steps and compares all that both tell.
#include "tests/oracle/product.h"

namespace duet::test {

constexpr double tolerance = 1e-12;

/// max|a - b| / max|b|, as the design judges; 0 when both are all zeros, infinite for another size or a NaN.
/// @param scale at least this is divided by: where sums cancel, max|b| itself is rounding
double difference(const std::vector<double>& a, const std::vector<double>& b, double scale = 0);

/// How strictly to judge. A case written by hand is judged by the defaults; one that was drawn may fall on what
/// rounding decides.
struct Judgement {
  bool skip_near_ties = false;  ///< a near-tie ends the comparison; else it fails: choose another seed
  /// A tensor's difference is judged against its largest value, and that at least `scale` times the largest of all
  /// tensors: where sums cancel, a tensor's largest value is rounding itself.
  double scale = 1e-2;
  /// From the first step of Adam on. It divides a gradient by its own size and 1e-8, so where a gradient is 0 but for
  /// rounding, the step is rounding a hundred million times as large.
  double after_a_step = tolerance;
};
constexpr Judgement drawn_case{.skip_near_ties = true, .after_a_step = 1e-8};

/// Trains both for config.steps steps and compares every one: the choices and the kept pairs exactly; output, loss,
/// auxiliary losses, every gradient and the input's to `tolerance`; at the end the parameters and choice biases. The
/// oracle steps on with its own parameters. Whatever differs is a failure of the running test.
///
/// @return false where a near-tie ended the comparison
bool expect_agreement(const RunConfig& config, const Judgement& judgement = {});

/// A configuration in words, to run it again.
std::string describe(const RunConfig& config);

}  // namespace duet::test
