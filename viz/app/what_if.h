#pragma once
/// A step's drops under another rule of capacity, from the scores that the routers gave.
#include "trace/trace.h"
#include "train/config.h"
#include "viz/model/frame.h"

namespace duet::viz {

/// The configuration that a trace's header keeps; what it does not have stays at its default.
RunConfig config_of(const trace::Header& header);

/// `step` with the drops that `rule` makes, in every layer, and its capacity. Each layer is recomputed from its own
/// recorded scores; that other drops in one layer would change what the next one sees is left out.
///
/// @param header of the step's trace: how the batch was cut into shards, scopes, slot order and seed
/// @param step with its single tokens
/// @throws InputError for a step without them, and for a rule that cannot be
trace::StepRecord recompute_plan(const trace::Header& header, const trace::StepRecord& step, const WhatIf& rule);

}  // namespace duet::viz
