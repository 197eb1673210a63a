#pragma once
/// The report's first picture: where the time of a step goes, a bar a mode.
#include <string>

#include "trace/trace.h"

namespace duet::trace {

/// The bars of all modes on one clock, divided by phase into work, waiting and transfer, and the same in figures. Means
/// over the steps after the warm-up, for those add up. HTML.
std::string breakdown_section(const Trace& trace);

}  // namespace duet::trace
