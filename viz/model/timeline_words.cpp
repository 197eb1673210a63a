#include <fmt/format.h>

#include "viz/model/spans.h"
#include "viz/model/timeline_layout.h"

namespace duet::viz {

namespace {

std::string tell(const std::string& lane, const Span& span) {
  const auto& event = *span.event;
  const bool backward = event.direction == trace::Direction::backward && event.phase != trace::Phase::backward;
  const auto where = fmt::format("{}, {}{}", lane, trace::name(event.phase), backward ? ", backward" : "");
  const double all = span.end_us - span.start_us, wait = span.wait_end_us - span.start_us;
  if (event.operation == trace::Operation::none) return fmt::format("{}: {:.1f} us", where, all);
  const auto waiting = !span.wait_told ? std::string("waiting included")
                       : wait > 0      ? fmt::format("of them {:.1f} us waiting for rank {}", wait, span.last_rank)
                                       : std::string("this rank came last");
  return fmt::format("{}: {} of {} bytes, {:.1f} us; {}", where, trace::name(event.operation), event.bytes, all,
                     waiting);
}

}  // namespace

std::string tell_timeline(const std::vector<ModeStep>& modes, Hit hit) {
  if (hit.thing != Thing::phase || hit.a < 0) return "";
  std::int64_t first = 0;  // the mode's first lane
  for (const auto& mode : modes) {
    const auto lanes = mode.step == nullptr ? 0 : std::ssize(mode.step->ranks);
    if (hit.a < first + lanes) {
      const auto rank = static_cast<std::size_t>(hit.a - first);
      for (const auto& span : spans_of(*mode.step)) {
        if (span.rank != rank || static_cast<std::int64_t>(span.number) != hit.b) continue;
        return tell(fmt::format("{} rank {}", mode.mode, rank), span);
      }
      return "";
    }
    first += lanes;
  }
  return "";
}

}  // namespace duet::viz
