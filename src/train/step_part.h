#pragma once
/// A rank's part of some steps as text, for a rank that shares no memory with it.
#include <string>
#include <vector>

#include "train/rank_trainer.h"

namespace duet {

/// One JSON object a line and step, as a trace has it (docs/trace.md), less `expert` and `kind`.
std::string steps_to_text(const std::vector<RankStepResult>& steps);

/// @throws std::exception for what steps_to_text has not written
std::vector<RankStepResult> steps_from_text(const std::string& text);

}  // namespace duet
