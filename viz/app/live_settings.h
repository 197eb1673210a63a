#pragma once
/// A run's configuration as the window's controls show it, and back.
#include "train/config.h"
#include "viz/model/live.h"

namespace duet::viz {

/// @param steps_per_s the pace, which is no setting of a run
LiveSettings settings_of(const RunConfig& config, double steps_per_s);

/// `config` with those settings that differ from `before`, so that what the controls cannot show stays as it is: a list
/// of token counts, a second auxiliary loss.
/// @throws InputError for a value that cannot be, as the flag of that name
RunConfig with_settings(RunConfig config, const LiveSettings& before, const LiveSettings& wanted);

}  // namespace duet::viz
