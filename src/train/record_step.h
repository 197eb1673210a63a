#pragma once
/// What one rank writes down about a step, after it: counts, drops, entropy, norms. Not timed.
#include "train/rank_trainer.h"

namespace duet {

RankStepResult record_step(const RunConfig& config, const RankModel& model, const StepResult& result,
                           const std::vector<StepInput>& inputs);

}  // namespace duet
