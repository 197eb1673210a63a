#include <fmt/format.h>

#include "viz/model/inspector.h"
#include "viz/model/spans.h"

namespace duet::viz {

namespace {

using trace::Operation;

// The lanes of the timeline: all ranks of the first mode, then of the next.
struct Lane {
  const ModeStep* mode = nullptr;
  std::size_t rank = 0;
};

Lane lane_of(const std::vector<ModeStep>& modes, std::int64_t number) {
  for (const auto& mode : modes) {
    const auto ranks = mode.step == nullptr ? 0 : std::ssize(mode.step->ranks);
    if (number >= 0 && number < ranks) return {&mode, static_cast<std::size_t>(number)};
    number -= ranks;
  }
  return {};
}

std::string rows_to(const trace::Event& event) {
  std::string words;
  for (std::size_t peer = 0; peer < event.rows_to.size(); ++peer) {
    words += fmt::format("{}rank {} {}", peer == 0 ? "" : ", ", peer, event.rows_to[peer]);
  }
  return words;
}

void tell_exchange(const Span& span, std::vector<InspectorRow>& rows) {
  const auto& event = *span.event;
  const double wait = span.wait_end_us - span.start_us;
  rows.push_back({"operation", trace::name(event.operation)});
  rows.push_back({"wait",
                  !span.wait_told ? "in the transfer: not to be told apart here"
                  : wait > 0      ? fmt::format("{:.1f} us, for rank {}, which came last", wait, span.last_rank)
                                  : "none: this rank came last",
                  wait > 0 ? Ink::dropped : Ink::text});
  rows.push_back({"transfer", fmt::format("{:.1f} us", span.end_us - span.wait_end_us)});
  rows.push_back({"bytes", fmt::format("{} left this rank{}", event.bytes,
                                       event.modelled ? " (by the ring formula, not counted)" : "")});
  if (!event.rows_to.empty()) rows.push_back({"rows to", rows_to(event)});
}

}  // namespace

Inspection inspect_phase(const std::vector<ModeStep>& modes, Hit hit) {
  const auto lane = lane_of(modes, hit.a);
  if (lane.mode == nullptr) return {"this phase is not in this step", {}};
  for (const auto& span : spans_of(*lane.mode->step)) {
    if (span.rank != lane.rank || static_cast<std::int64_t>(span.number) != hit.b) continue;
    const auto& event = *span.event;
    Inspection result{
        fmt::format(
            "{}{} on {} rank {}", trace::name(event.phase),
            event.direction == trace::Direction::backward && event.phase != trace::Phase::backward ? ", backward" : "",
            lane.mode->mode, lane.rank),
        {{"time",
          fmt::format("{:.1f} us, from {:.1f} to {:.1f}", span.end_us - span.start_us, span.start_us, span.end_us)}}};
    const auto step_us = static_cast<double>(lane.mode->step->step_ns) / 1e3;
    if (step_us > 0) {
      result.rows.push_back(
          {"share", fmt::format("{:.1f} % of the step", 100 * (span.end_us - span.start_us) / step_us)});
    }
    if (event.operation != Operation::none) tell_exchange(span, result.rows);
    if (event.layer > 0) result.rows.push_back({"layer", fmt::format("{}", event.layer)});
    return result;
  }
  return {"this phase is not in this step", {}};
}

}  // namespace duet::viz
