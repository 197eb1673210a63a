#pragma once
/// Writes a trace while the run goes on: JSON Lines, a header, a line a step, a footer (docs/trace.md).
#include <filesystem>
#include <span>

#include "core/atomic_file.h"
#include "trace/trace.h"

namespace duet::trace {

/// The file is PATH.partial until `finish`. It stays, readable, when the run ends without one.
///
/// Every function throws InputError when the system refuses, a full disk for one. Of a new trace PATH and PATH.partial
/// must not exist.
class TraceWriter {
 public:
  /// Writes the header. Throws InputError when `header.config` is not a JSON object.
  TraceWriter(const std::filesystem::path& path, const Header& header);

  /// Goes on with an earlier run: PATH and PATH.partial are replaced, at once, by a trace of this header and `before`.
  TraceWriter(const std::filesystem::path& path, const Header& header, std::span<const StepRecord> before);

  /// Writes a line; it is safe from the end of the process when this returns.
  void write(const StepRecord& step);
  /// Writes the footer and names the file PATH. Nothing may be written after that.
  /// @param interrupted the run was asked to end early
  void finish(bool interrupted);

 private:
  AtomicFile file_;
  std::int64_t start_ns_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace duet::trace
