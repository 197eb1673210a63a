#pragma once
/// The report's charts of balance over steps.
#include <string>

#include "trace/trace.h"

namespace duet::trace {

/// Of a layer of `mode`: load (std and max over mean), the router's entropy, drops by reason, and the gradient norm of
/// each expert. HTML.
std::string balance_section(const Trace& trace, const std::string& mode, std::size_t layer);

}  // namespace duet::trace
