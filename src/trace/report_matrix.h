#pragma once
/// The report's picture of routing: which rank's tokens went to which expert.
#include <string>

#include "trace/trace.h"

namespace duet::trace {

/// Two heat maps with numbers, rank by expert: the last step of `mode`, and all its steps. HTML.
std::string routing_section(const Trace& trace, const std::string& mode, std::size_t layer);

}  // namespace duet::trace
