#pragma once
/// What training goes on from, whole: gathered from the ranks of one layout by global name, and taken up again by those
/// of any other. Nothing goes by a rank's own count of experts (DeepSpeed issue #6589).
#include "train/adam.h"
#include "train/model.h"

namespace duet {

/// The whole state after a step. Every random number is keyed by seed and step (train/keyed_random.h), so that
/// generators have no state of their own.
struct TrainState {
  std::int64_t step = 0;        ///< steps done
  std::int64_t adam_steps = 0;  ///< as Adam counts them
  double loss = 0;              ///< of the last step
  /// Parameters by global name, "adam.mean.NAME" and "adam.variance.NAME" of each, and the routers' state.
  std::vector<NamedTensor> tensors;
};

/// Brings the state together on rank 0; elsewhere the result is empty. `step` and `loss` are the caller's to set.
/// Collective. The tensors may be views of the model: they hold until the next step.
TrainState gather_state(comm::Communicator& world, const ModelConfig& config, const Layout& layout,
                        const RankModel& model, const Adam& adam);

/// The parameters alone, sorted by name.
std::vector<NamedTensor> parameters_of(const TrainState& state);

/// Takes this rank's part of `state`.
/// @throws InputError naming the tensor that the state lacks, or that has another size or type than the model's
void load_state(const TrainState& state, const Layout& layout, RankModel& model, Adam& adam);

}  // namespace duet
