#pragma once
/// A run as it stands in a trace file (docs/trace.md): what was run, and every step.
#include <cstdint>
#include <string>
#include <vector>

#include "trace/record.h"

namespace duet::trace {

/// The schema that this program writes. It reads every minor version of the same major one.
constexpr int schema_major = 2;
constexpr int schema_minor = 2;

struct Header {
  int major = schema_major;
  int minor = schema_minor;
  std::string config = "{}";  ///< the run's configuration, a JSON object as text
  int world_size = 1;
  std::string transport = "threads";
  std::string device = "cpu";
  std::string created;        ///< UTC, "2025-01-31T12:00:00Z"; empty: when the writer opens the file
  std::int64_t warm_up = 0;   ///< first steps that no figure of time counts
  std::int64_t start_ns = 0;  ///< core/clock.h; subtracted from every time that is written, so 0 once read
  bool operator==(const Header&) const = default;
};

struct Trace {
  Header header;
  std::vector<StepRecord> steps;  ///< in the order in which they happened; modes alternate
  bool complete = false;          ///< the run ended and said so
  bool interrupted = false;       ///< it ended early because it was asked to
  bool torn = false;              ///< the last line was cut off and is left out
};

}  // namespace duet::trace
