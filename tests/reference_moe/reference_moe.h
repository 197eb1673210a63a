#pragma once
/// The oracle: a mixture of experts in plain loops, float64, one process, with gradients by hand.
///
/// It shares no code with src/ and knows no ranks, so that what agrees with it agrees by mathematics alone. Slow on
/// purpose: every formula stands as it would on paper.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace duet::reference {

/// Row-major values by global name, as torch stores them: "router.weight" [E, D], "router.bias" [E], and for each
/// expert "expert.0.w1" [H, D], ".b1" [H], ".w2" [D, H], ".b2" [D].
using Parameters = std::map<std::string, std::vector<double>>;

struct Rules {
  std::int64_t dim = 0, hidden = 0, experts = 0, top_k = 1;
  bool renormalize = false;
  std::int64_t capacity_numerator = 0;  ///< of the capacity factor; 0: no limit
  std::int64_t capacity_denominator = 1;
  std::string aux = "none";  ///< none, std, std_population, cv or switch
  double aux_weight = 0;
};

struct Batch {
  std::vector<double> x, target;           ///< [T, D]
  std::vector<std::int64_t> shard_tokens;  ///< they add up to T
};

struct Result {
  std::vector<double> out;             ///< [T, D]
  std::vector<std::int64_t> expert;    ///< [T, k]
  std::vector<double> gate;            ///< [T, k]
  std::vector<bool> kept;              ///< [T, k]
  std::vector<std::int64_t> counts;    ///< [E], before dropping
  double mse = 0;                      ///< sum of squared errors / (T D); 0 for T = 0
  double aux = 0;                      ///< mean over shards, before the weight
  double smallest_margin = 1e300;      ///< between the last chosen and the first not chosen probability
  Parameters gradients;                ///< of mse + aux_weight * aux
  std::vector<double> input_gradient;  ///< [T, D]
};

Result forward_backward(const Parameters& parameters, const Batch& batch, const Rules& rules);

/// Adam as torch.optim.Adam has it: eps is added after the square root of the bias-corrected second moment.
class Adam {
 public:
  explicit Adam(double learning_rate) : learning_rate_(learning_rate) {}
  void step(Parameters& parameters, const Parameters& gradients);

 private:
  double learning_rate_;
  std::int64_t steps_ = 0;
  Parameters mean_, variance_;
};

}  // namespace duet::reference
