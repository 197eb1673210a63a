#pragma once
/// The report's charts over steps: loss, tokens of each expert, drops. Each is a section of HTML.
#include <string>

#include "trace/trace.h"

namespace duet::trace {

/// A line a mode; modes that computed the same lie on each other, and a sentence says how close they are.
std::string loss_section(const Trace& trace);

/// A line an expert, of a layer of `mode`; with more than ten experts the most, the median and the least chosen.
std::string tokens_section(const Trace& trace, const std::string& mode, std::size_t layer);

/// The same for drops, or a sentence when there are none.
std::string drops_section(const Trace& trace, const std::string& mode, std::size_t layer);

}  // namespace duet::trace
