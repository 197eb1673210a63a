#pragma once
/// A trace as a table for spreadsheets, pandas and R.
#include <string>

#include "trace/trace.h"

namespace duet::trace {

/// A line an event, after a line of column names; RFC 4180. Columns of communication are empty for phases.
std::string events_csv(const Trace& trace);

}  // namespace duet::trace
