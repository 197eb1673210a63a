#pragma once
/// A trace file of any length: where each step's line lies, and a step parsed when it is looked at.
#include <filesystem>
#include <list>
#include <map>
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
  /// A mode's record of a step without its single tokens, or null. Lives until eight others were asked for.
  const trace::StepRecord* find(int mode, std::int64_t step) const;
  /// The same with its single tokens (none in a trace that was written without), which takes longer to read. Lives
  /// until the second after it was asked for.
  const trace::StepRecord* find_with_tokens(int mode, std::int64_t step) const;

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

  using Memory = std::list<Parsed>;  ///< the last ones asked for, newest first

  const trace::StepRecord* look_up(Memory& memory, std::size_t most, bool tokens, int mode, std::int64_t step) const;
  void index_from(std::size_t offset);
  void add_line(std::size_t offset, std::size_t size);
  std::string_view text() const;

  std::filesystem::path path_;
  std::string owned_;
  std::unique_ptr<Mapped> mapped_;
  trace::Header header_;
  std::vector<std::string> modes_;
  std::vector<StepPlace> places_;
  std::map<std::pair<int, std::int64_t>, std::size_t> place_of_;  ///< by mode and step
  std::vector<std::int64_t> steps_;
  std::size_t indexed_ = 0;  ///< bytes of whole lines seen
  bool complete_ = false;
  bool torn_ = false;
  mutable std::vector<StepSummary> summaries_;  ///< of the first lines; the rest when asked
  mutable Memory parsed_;
  mutable Memory parsed_with_tokens_;
};

}  // namespace duet::viz
