#pragma once
/// Runs expert parallelism, data parallelism and one device side by side on the same global batches.
#include <atomic>
#include <functional>
#include <optional>

#include "trace/record.h"
#include "train/model.h"

namespace duet {

/// The first (step, token) whose chosen experts differ between two modes.
struct RouteDifference {
  std::int64_t step = 0;
  std::int64_t token = 0;                   ///< global token index
  Mode mode = Mode::ep;                     ///< differs from one device here
  std::vector<std::int64_t> expert;         ///< [k] chosen in `mode`
  std::vector<std::int64_t> single_expert;  ///< [k] chosen on one device
};

/// What is left of one mode.
struct ModeOutcome {
  std::vector<NamedTensor> parameters;  ///< the whole model after the last step, by global name
  std::int64_t parameter_bytes = 0;     ///< on the rank that holds most
  std::int64_t optimizer_bytes = 0;
};

struct ModesOutcome {
  ModeOutcome ep, dp, single;
  std::optional<RouteDifference> first_difference;
  std::int64_t steps = 0;  ///< done; fewer than asked after an interruption
};

/// What the caller hears meanwhile, always from one thread at a time and never within a timed step.
struct ModesListener {
  std::function<void(trace::StepRecord)> on_step;  ///< the records of a block, after it
  std::function<void()> on_step_done;              ///< after each step, between two timed ones
  const std::atomic<bool>* stop = nullptr;         ///< ends the run after the block
};

/// Trains the three modes for `steps` steps in alternating blocks, so that the machine's drift hits all alike. Rank 0
/// of the world runs the single device while the others wait.
ModesOutcome run_modes(const RunConfig& config, at::ScalarType dtype, std::int64_t steps, std::int64_t block,
                       const ModesListener& listener);

}  // namespace duet
