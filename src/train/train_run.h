#pragma once
/// Trains one mode for as long as asked.
#include <atomic>
#include <functional>

#include "trace/record.h"
#include "train/checkpoint.h"

namespace duet {

struct TrainListener {
  std::function<void(trace::StepRecord)> on_step;  ///< after each step, from one thread at a time
  const std::atomic<bool>* stop = nullptr;         ///< ends the run after the step
  /// Every `config.checkpoint_every` steps and at the end, unless no step came since the last; from rank 0's thread,
  /// while the ranks wait. Empty: nothing is gathered.
  std::function<void(const TrainState&)> on_checkpoint = {};
};

struct TrainOutcome {
  std::int64_t steps = 0;               ///< done, those before `from` included
  std::vector<NamedTensor> parameters;  ///< the whole model, by global name
  /// [2][E]: how many tokens of each kind had each expert as first choice, in the last steps (20 at most).
  std::vector<std::vector<std::int64_t>> kinds_per_expert;
};

/// Trains up to `config.steps` steps in all (0: until told to stop). The single device takes the shards of all
/// `config.layout.ranks`.
/// @param from where an earlier run stopped, at this or another layout; null: the beginning
/// @throws InputError when `from` is another model's
TrainOutcome run_train(const RunConfig& config, Mode mode, const TrainListener& listener,
                       const TrainState* from = nullptr);

/// How well experts specialised: the smaller over the two kinds of the share of its tokens that went to the expert
/// most of them went to; 0 when both kinds favour the same expert, or one kind had no token.
double specialisation(const std::vector<std::vector<std::int64_t>>& kinds_per_expert);

}  // namespace duet
