#pragma once
/// One rank's training of one mode: its model, optimizer, groups and recorder, stepped from outside.
#include <atomic>

#include "trace/recorder.h"
#include "train/checkpoint.h"
#include "train/device_timer.h"
#include "train/step.h"

namespace duet {

/// What one rank knows about one step; train/step_board.h joins the ranks' parts.
struct RankStepResult {
  std::int64_t step = 0;
  double loss = 0;  ///< this rank's part, see StepResult
  std::vector<double> aux;
  double router_grad_norm = 0;  ///< of what every rank holds in every layout, before clipping
  std::int64_t capacity = -1;   ///< of the largest shard; -1 without a limit
  trace::RankStep record;
  at::Tensor expert;  ///< [T, layers * k] int64 on the CPU, what the routers chose, a layer after the other
  at::Tensor kind;    ///< [T] int64, which function made the token's target
};

class RankTrainer {
 public:
  /// Collective over `world`. All tensors are on the rank's device (train/device.h).
  RankTrainer(comm::Communicator& world, const RunConfig& config, const Layout& layout, at::ScalarType dtype);

  /// Trains `step`; only the step itself is timed, not the drawing of its batch. Collective.
  /// @throws InputError naming step, rank and token when a logit is not finite
  RankStepResult run_step(std::int64_t step);

  /// Other data, rules or learning rate from the next step on; what the parameters' shapes, the layout and the
  /// precision stand on must be as it was. Not collective, but every rank has to do the same.
  void change(const RunConfig& config);

  /// True on every rank as soon as it is set on any. Collective, and so also the line that all start a step from.
  bool any_rank_stops(const std::atomic<bool>* stop);

  /// The state of all ranks together, on rank 0; its tensors hold until the next step. Collective.
  TrainState gather() { return gather_state(*groups_.world, config_.model, layout_, model_, adam_); }
  /// Goes on from a state that was gathered at this or any other layout. @throws InputError when it is another model's
  void load(const TrainState& state) { load_state(state, layout_, model_, adam_); }

  const RankModel& model() const { return model_; }
  const Adam& adam() const { return adam_; }
  std::int64_t parameter_bytes() const { return static_cast<std::int64_t>(model_.values.nbytes()); }
  std::int64_t optimizer_bytes() const { return adam_.state_bytes(); }

 private:
  std::vector<StepInput> inputs_of(std::int64_t step) const;

  RunConfig config_;
  at::TensorOptions options_;  ///< the run's precision, and this rank's device
  Layout layout_;
  std::int64_t first_expert_;
  std::unique_ptr<DeviceTimer> timer_;  ///< null on the CPU
  trace::Recorder recorder_;
  MeshGroups groups_;
  std::vector<ShardRange> micro_batches_;
  DataSource data_;
  RankModel model_;
  Adam adam_;
};

}  // namespace duet
