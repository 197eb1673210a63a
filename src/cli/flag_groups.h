#pragma once
/// The flags of a run, a group a file; cli/run_flags.h joins them.
#include <vector>

#include "cli/run_flags.h"

namespace duet::cli {

std::vector<RunFlag> model_flags();     ///< sizes and kinds
std::vector<RunFlag> rule_flags();      ///< capacity and balancing
std::vector<RunFlag> data_flags();      ///< the batch
std::vector<RunFlag> training_flags();  ///< steps, optimizer, precision
std::vector<RunFlag> layout_flags();    ///< ranks and how they talk

}  // namespace duet::cli
