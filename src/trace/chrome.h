#pragma once
/// A trace as Chrome's trace format, which ui.perfetto.dev and chrome://tracing open.
#include <string>

#include "trace/trace.h"

namespace duet::trace {

/// A process for each rank, with a track for its phases and one for its communication; modes stand one after the other
/// as they happened. Times are microseconds since the run began.
std::string chrome_json(const Trace& trace);

}  // namespace duet::trace
