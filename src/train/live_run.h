#pragma once
/// Trains expert parallelism, data parallelism and one device in turn under a person's hand: the next step comes when
/// it is asked for, with the settings of that moment.
#include <functional>

#include "trace/record.h"
#include "train/config.h"

namespace duet {

/// What comes next.
struct LiveOrder {
  bool stop = false;  ///< no further step
  RunConfig config;   ///< the step's; may differ from the run's as RankTrainer::change allows
};

/// Both are called from rank 0's thread, one at a time, and never within a timed step.
struct LiveListener {
  std::function<LiveOrder(std::int64_t step)> next;  ///< may wait for as long as a person pauses
  std::function<void(trace::StepRecord)> on_step;    ///< one for each mode
};

/// Returns after an order to stop. @throws as run_modes; what `next` and `on_step` throw ends the run too
void run_live(const RunConfig& config, const LiveListener& listener);

}  // namespace duet
