#pragma once
/// The oracle: mixtures of experts in plain loops, float64, one process, with gradients by hand.
///
/// It shares no code with src/ and knows no ranks, so that what agrees with it agrees by mathematics alone. Slow on
/// purpose: every formula stands as it would on paper.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace duet::reference {

/// Row-major values by global name, as torch stores them: for each layer "layer.0.router.weight" [E, D], ".router.bias"
/// [E], and for each expert "layer.0.expert.0.w1" [H, D], ".b1" [H], ".w2" [D, H], ".b2" [D] (SwiGLU: w1, w3, w2).
/// Not learnt: "layer.0.router.choice_bias" [E].
using Parameters = std::map<std::string, std::vector<double>>;

/// An auxiliary loss: std, cv, cv2, switch or z.
struct Aux {
  std::string kind;
  double weight = 0;
};

struct Rules {
  std::int64_t dim = 0, hidden = 0, experts = 0, layers = 1, top_k = 1;
  bool swiglu = false;
  bool router_bias = true;
  bool renormalize = false;             ///< at top_k 1 the gate is then the constant 1
  std::int64_t capacity_numerator = 0;  ///< of the capacity factor
  std::int64_t capacity_denominator = 1;
  bool limited = false;  ///< there is a capacity factor
  std::int64_t min_capacity = 0;
  bool global_capacity = false;      ///< counted over a micro-batch instead of a shard
  std::string drop = "position";     ///< or probability or random
  std::string slot_order = "token";  ///< or choice
  bool residual = false;             ///< a dropped pair adds its token
  std::vector<Aux> aux;
  bool global_aux = false;  ///< over a micro-batch instead of a shard
  bool population = false;  ///< std and cv divide by E, not by E - 1
};

/// A layer's random numbers; empty: none.
struct Draws {
  std::vector<double> jitter;  ///< [T, D], factors of the router's input
  std::vector<double> noise;   ///< [T, E], added to the logits
  std::vector<double> drop;    ///< [T, k], the lowest stay
};

struct Batch {
  std::vector<double> x, target;                         ///< [T, D]
  std::vector<std::int64_t> shard_tokens;                ///< they add up to T
  std::vector<std::vector<std::int64_t>> micro_batches;  ///< the shards of each, in order; empty: one with all
  std::vector<Draws> draws;                              ///< a layer each; empty: none
};

struct LayerResult {
  std::vector<std::int64_t> expert;  ///< [T, k]
  std::vector<double> gate;          ///< [T, k]
  std::vector<bool> kept;            ///< [T, k]
  std::vector<std::int64_t> counts;  ///< [E], before dropping
};

struct Result {
  std::vector<double> out;  ///< [T, D]
  std::vector<LayerResult> layers;
  double mse = 0;                      ///< sum of squared errors / (T D); 0 for T = 0
  std::vector<double> aux;             ///< each loss, summed over layers, before the weight
  double smallest_margin = 1e300;      ///< between the last chosen and the first not chosen, and between gates
  Parameters gradients;                ///< of mse + sum of weight * aux
  std::vector<double> input_gradient;  ///< [T, D]
};

/// @param parameters and the choice biases, where there are any
Result forward_backward(const Parameters& parameters, const Batch& batch, const Rules& rules);

/// Scales all gradients so that their norm together is at most `limit`, as torch.nn.utils.clip_grad_norm_ does.
void clip(Parameters& gradients, double limit);

/// Moves each choice bias by `rate`: up under the mean load, down over it (DeepSeek-V3).
void move_choice_biases(Parameters& parameters, const Result& result, double rate);

/// Adam as torch.optim.Adam has it: eps is added after the square root of the bias-corrected second moment. With a
/// decay it is torch.optim.AdamW: the weights shrink by lr * decay first.
class Adam {
 public:
  explicit Adam(double learning_rate, double weight_decay = 0)
      : learning_rate_(learning_rate), weight_decay_(weight_decay) {}
  /// Steps each parameter that has a gradient.
  void step(Parameters& parameters, const Parameters& gradients);

 private:
  double learning_rate_, weight_decay_;
  std::int64_t steps_ = 0;
  Parameters mean_, variance_;
};

}  // namespace duet::reference
