#pragma once
/// A trace file of any length: where each step's line lies, and a step parsed when it is looked at.
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"
#include "viz/model/summary.h"

namespace duet::viz {

/// One line: a step of one mode.
struct StepPlace {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::int64_t step = 0;
  int mode = 0;  ///< index into modes()
};

class TraceIndex {
 public:
  /// Maps the file and finds its lines; parses the header only.
  /// @throws InputError as trace/reader.h
  explicit TraceIndex(const std::filesystem::path& path);
  /// The same for text that is already in memory (a pipe, a test).
  TraceIndex(std::string text, const std::filesystem::path& name);
  ~TraceIndex();
  TraceIndex(const TraceIndex&) = delete;
  TraceIndex& operator=(const TraceIndex&) = delete;

  const trace::Header& header() const { return header_; }
  const std::vector<std::string>& modes() const { return modes_; }
  bool complete() const { return complete_; }
  bool torn() const { return torn_; }

  /// The step numbers that any mode has, rising.
  const std::vector<std::int64_t>& steps() const { return steps_; }
  /// A mode's record of a step, or null. Lives until `keep` others were asked for.
  const trace::StepRecord* find(int mode, std::int64_t step) const;

  /// Every step of every mode in a few numbers, in the file's order.
  const std::vector<StepSummary>& summaries() const;

  /// Looks for lines that were written since (a run that goes on). True when there are more.
  bool refresh();

 private:
  struct Mapped;
  struct Parsed {
    std::size_t offset = 0;
    trace::StepRecord step;
  };

  void index_from(std::size_t offset);
  void add_line(std::size_t offset, std::size_t size);
  std::string_view text() const;

  std::filesystem::path path_;
  std::string owned_;
  std::unique_ptr<Mapped> mapped_;
  trace::Header header_;
  std::vector<std::string> modes_;
  std::vector<StepPlace> places_;
  std::vector<std::int64_t> steps_;
  std::size_t indexed_ = 0;  ///< bytes of whole lines seen
  bool complete_ = false;
  bool torn_ = false;
  mutable std::vector<StepSummary> summaries_;  ///< of the first lines; the rest when asked
  mutable std::list<Parsed> parsed_;            ///< the last ones asked for, newest first
};

}  // namespace duet::viz
