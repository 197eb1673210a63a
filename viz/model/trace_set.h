#pragma once
/// One trace, or two side by side, as one: their modes, their steps.
#include <optional>
#include <string>
#include <vector>

#include "viz/model/trace_index.h"

namespace duet::viz {

class TraceSet {
 public:
  /// They must outlive this. @param names said before the modes when there are several: "a ep", "b ep"
  TraceSet(std::vector<TraceIndex*> traces, std::vector<std::string> names);

  const std::vector<std::string>& modes() const { return modes_; }
  /// The step numbers that any trace has, rising.
  const std::vector<std::int64_t>& steps() const { return steps_; }
  /// The last step up to which every trace goes that has steps at all; none: there is no step.
  std::optional<std::int64_t> last_of_all() const;
  /// A mode's record without its single tokens, or null; lives as TraceIndex's.
  const trace::StepRecord* find(std::size_t mode, std::int64_t step) const;
  /// The same with its single tokens, which take longer to read.
  const trace::StepRecord* find_with_tokens(std::size_t mode, std::int64_t step) const;
  /// Which of them the mode is from.
  const TraceIndex& trace_of(std::size_t mode) const { return *traces_[owner_[mode].trace]; }

  const std::vector<StepSummary>& summaries() const;
  bool torn() const;
  /// Looks for lines that were written since. True when there are more.
  bool refresh();

 private:
  struct Owner {
    std::size_t trace = 0;
    int mode = 0;  ///< there
  };

  void collect();

  std::vector<TraceIndex*> traces_;
  std::vector<std::string> names_;
  std::vector<std::string> modes_;
  std::vector<Owner> owner_;
  std::vector<std::int64_t> steps_;
  mutable std::vector<StepSummary> summaries_;
  mutable std::vector<std::size_t> summarized_;  ///< lines of each trace that `summaries_` has
};

}  // namespace duet::viz
