#include "viz/model/spans.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace duet::viz {

namespace {

using trace::Operation;
using trace::StepRecord;

std::int64_t start_of(const StepRecord& step) {
  std::int64_t start = INT64_MAX;
  for (const auto& rank : step.ranks) {
    for (const auto& event : rank.events) start = std::min(start, event.start_ns);
  }
  return start == INT64_MAX ? 0 : start;
}

// When the last rank came to each operation, and which rank that was.
using Arrivals = std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::int64_t, std::size_t>>;

Arrivals arrivals_of(const StepRecord& step) {
  Arrivals arrivals;
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
    for (const auto& event : step.ranks[rank].events) {
      if (event.operation == Operation::none) continue;
      const auto [last, first_seen] = arrivals.try_emplace({event.group, event.sequence}, event.start_ns, rank);
      if (!first_seen && event.start_ns > last->second.first) last->second = {event.start_ns, rank};
    }
  }
  return arrivals;
}

}  // namespace

std::vector<Span> spans_of(const StepRecord& step) {
  const auto start = start_of(step);
  const auto arrivals = arrivals_of(step);
  const auto since_us = [start](std::int64_t ns) { return static_cast<double>(ns - start) / 1e3; };
  std::vector<Span> spans;
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
    const auto& events = step.ranks[rank].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto& event = events[i];
      Span span{.rank = rank,
                .number = i,
                .event = &event,
                .start_us = since_us(event.start_ns),
                .end_us = since_us(event.end_ns),
                .wait_end_us = since_us(event.start_ns),
                .last_rank = rank,
                .wait_told = step.waits_told};
      if (event.on_device()) {
        span.device_start_us = since_us(event.device_start_ns);
        span.device_end_us = since_us(event.device_end_ns);
      }
      if (event.operation != Operation::none && step.waits_told) {
        const auto& [latest_ns, last_rank] = arrivals.at({event.group, event.sequence});
        span.wait_end_us = since_us(std::clamp(latest_ns, event.start_ns, std::max(event.start_ns, event.end_ns)));
        span.last_rank = last_rank;
      }
      spans.push_back(span);
    }
  }
  return spans;
}

}  // namespace duet::viz
