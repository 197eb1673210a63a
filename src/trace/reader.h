#pragma once
/// Reads a trace back (docs/trace.md).
#include <filesystem>
#include <iosfwd>

#include "trace/trace.h"

namespace duet::trace {

/// The file that `path` stands for: itself, or the trace in the folder of a run.
/// @throws InputError for a folder without a trace
std::filesystem::path trace_file(const std::filesystem::path& path);

/// Reads the trace at `path`. A run's folder stands for the trace.jsonl in it, or for the trace.jsonl.partial of a run
/// that was cut off. A last line that was cut off is left out, and `torn` says so.
///
/// @throws InputError, naming the file and the line, when there is no trace, when it is none or of a newer major
///   version, and when a whole line is not a step
Trace read_trace(const std::filesystem::path& path);

/// The same for a file that is open.
/// @param path where it came from, for messages
Trace read_trace(std::istream& in, const std::filesystem::path& path);

}  // namespace duet::trace
