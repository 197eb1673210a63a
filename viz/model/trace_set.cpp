#include "viz/model/trace_set.h"

#include <algorithm>
#include <iterator>

namespace duet::viz {

TraceSet::TraceSet(std::vector<TraceIndex*> traces, std::vector<std::string> names)
    : traces_(std::move(traces)), names_(std::move(names)), summarized_(traces_.size()) {
  collect();
}

void TraceSet::collect() {
  for (std::size_t t = 0; t < traces_.size(); ++t) {
    const auto& modes = traces_[t]->modes();
    const auto known = std::count_if(owner_.begin(), owner_.end(), [&](const Owner& o) { return o.trace == t; });
    for (auto m = static_cast<std::size_t>(known); m < modes.size(); ++m) {  // a mode's number never changes
      modes_.push_back(traces_.size() == 1 ? modes[m] : names_[t] + " " + modes[m]);
      owner_.push_back({t, static_cast<int>(m)});
    }
  }
  std::vector<std::int64_t> all;
  for (const auto* const trace : traces_) {
    std::vector<std::int64_t> both;
    std::set_union(all.begin(), all.end(), trace->steps().begin(), trace->steps().end(), std::back_inserter(both));
    all = std::move(both);
  }
  steps_ = std::move(all);
}

std::optional<std::int64_t> TraceSet::last_of_all() const {
  std::optional<std::int64_t> last;
  for (const auto* const trace : traces_) {
    if (!trace->steps().empty()) last = std::min(last.value_or(trace->steps().back()), trace->steps().back());
  }
  return last;
}

const trace::StepRecord* TraceSet::find(std::size_t mode, std::int64_t step) const {
  return mode < owner_.size() ? traces_[owner_[mode].trace]->find(owner_[mode].mode, step) : nullptr;
}

const trace::StepRecord* TraceSet::find_with_tokens(std::size_t mode, std::int64_t step) const {
  return mode < owner_.size() ? traces_[owner_[mode].trace]->find_with_tokens(owner_[mode].mode, step) : nullptr;
}

const std::vector<StepSummary>& TraceSet::summaries() const {
  if (traces_.size() == 1) return traces_.front()->summaries();  // its modes are ours, and a copy is memory
  for (std::size_t t = 0; t < traces_.size(); ++t) {
    const auto& lines = traces_[t]->summaries();
    for (; summarized_[t] < lines.size(); ++summarized_[t]) {
      auto line = lines[summarized_[t]];
      const auto mode = std::find_if(owner_.begin(), owner_.end(),
                                     [&](const Owner& o) { return o.trace == t && o.mode == line.mode; });
      line.mode = static_cast<int>(mode - owner_.begin());
      summaries_.push_back(std::move(line));
    }
  }
  return summaries_;
}

bool TraceSet::torn() const {
  return std::any_of(traces_.begin(), traces_.end(), [](const TraceIndex* t) { return t->torn(); });
}

bool TraceSet::refresh() {
  bool more = false;
  for (auto* const trace : traces_) more = trace->refresh() || more;
  if (more) collect();
  return more;
}

}  // namespace duet::viz
