#pragma once
/// The modes of a trace, and the steps of each.
#include <string>
#include <vector>

#include "trace/trace.h"

namespace duet::trace {

/// In the order in which they first appear.
std::vector<std::string> modes_of(const Trace& trace);

/// A mode's steps in order; they live as long as the trace.
std::vector<const StepRecord*> steps_of(const Trace& trace, const std::string& mode);

/// Those that figures of time count: after the warm-up, or all of them when the run did not get that far.
std::vector<const StepRecord*> timed_steps(const Trace& trace, const std::string& mode);

/// MoE layers that a step has.
std::size_t layers_of(const StepRecord& step);

/// " of layer 1" where a step has several, for titles; nothing where it has one.
std::string of_layer(const StepRecord& step, std::size_t layer);

/// Summed over ranks: pairs (token, choice) of each expert of a layer, before dropping and dropped. Ranks may disagree
/// on the number of experts only in a damaged trace; the longest list counts.
std::vector<std::int64_t> tokens_per_expert(const StepRecord& step, std::size_t layer = 0);
std::vector<std::int64_t> dropped_per_expert(const StepRecord& step, std::size_t layer = 0);

}  // namespace duet::trace
