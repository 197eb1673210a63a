#include "trace/breakdown.h"

#include <algorithm>
#include <numeric>

namespace duet::trace {

namespace {

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

std::int64_t span_ns(const RankStep& rank) {
  if (rank.events.empty()) return 0;
  std::int64_t start = rank.events.front().start_ns;
  std::int64_t end = rank.events.front().end_ns;
  for (const auto& event : rank.events) {
    start = std::min(start, event.start_ns);
    end = std::max(end, event.end_ns);
  }
  return end - start;
}

const RankStep& slowest(const StepRecord& step) {
  const auto shorter = [](const RankStep& a, const RankStep& b) { return span_ns(a) < span_ns(b); };
  return *std::max_element(step.ranks.begin(), step.ranks.end(), shorter);
}

// Until the last of the operation's ranks came to it; 0 for the last one itself.
std::int64_t wait_ns(const StepRecord& step, const Event& own) {
  std::int64_t latest = own.start_ns;
  for (const auto& rank : step.ranks) {
    for (const auto& event : rank.events) {
      const bool same =
          event.operation != Operation::none && event.group == own.group && event.sequence == own.sequence;
      if (same) latest = std::max(latest, event.start_ns);
    }
  }
  return std::min(latest, own.end_ns) - own.start_ns;
}

// Event indexes so that each comes after the one around it.
std::vector<std::size_t> outer_first(const std::vector<Event>& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (events[a].start_ns != events[b].start_ns) return events[a].start_ns < events[b].start_ns;
    return events[a].end_ns > events[b].end_ns;
  });
  return order;
}

// What each event lasts without the events inside it.
std::vector<std::int64_t> own_ns(const std::vector<Event>& events) {
  std::vector<std::int64_t> own(events.size());
  std::vector<std::size_t> open;
  for (const auto i : outer_first(events)) {
    own[i] = events[i].end_ns - events[i].start_ns;
    while (!open.empty() && events[open.back()].end_ns <= events[i].start_ns) open.pop_back();
    if (!open.empty()) own[open.back()] -= own[i];
    open.push_back(i);
  }
  return own;
}

}  // namespace

std::vector<PhaseKey> phase_order() {
  using enum Direction;
  return {{Phase::route, forward, false},     {Phase::plan, forward, false},       {Phase::counts, forward, false},
          {Phase::dispatch, forward, false},  {Phase::expert, forward, false},     {Phase::combine, forward, false},
          {Phase::loss, forward, false},      {Phase::backward, backward, false},  {Phase::combine, backward, false},
          {Phase::dispatch, backward, false}, {Phase::grad_sync, backward, false}, {Phase::optimizer, forward, false},
          {Phase::optimizer, forward, true}};
}

std::string label(const PhaseKey& key) {
  if (key.between) return "between phases";
  const bool exchange = key.phase == Phase::combine || key.phase == Phase::dispatch;
  return exchange && key.direction == Direction::backward ? std::string(name(key.phase)) + ", backward"
                                                          : name(key.phase);
}

std::vector<PhaseTime> divide(const StepRecord& step) {
  const auto order = phase_order();
  std::vector<PhaseTime> times(order.size());
  if (step.ranks.empty()) return times;
  const auto& rank = slowest(step);
  const auto own = own_ns(rank.events);
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < rank.events.size(); ++i) {
    const auto& event = rank.events[i];
    const auto key = std::find(order.begin(), order.end(), PhaseKey{event.phase, event.direction, false});
    if (key == order.end()) continue;  // a phase of a newer trace: it counts as between
    auto& time = times[static_cast<std::size_t>(key - order.begin())];
    covered += own[i];
    if (event.operation == Operation::none) {
      time.work_us += microseconds(own[i]);
    } else {
      const auto wait = step.waits_told ? std::min(wait_ns(step, event), own[i]) : 0;
      time.wait_us += microseconds(wait);
      time.transfer_us += microseconds(own[i] - wait);
    }
  }
  times.back().work_us = microseconds(span_ns(rank) - covered);
  return times;
}

double Breakdown::wait_us() const {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const PhaseRow& row) { return sum + row.wait_us.mean; });
}

double Breakdown::transfer_us() const {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const PhaseRow& row) { return sum + row.transfer_us.mean; });
}

Breakdown break_down(std::span<const std::vector<PhaseTime>> steps) {
  const auto samples_of = [&](auto value) {
    std::vector<double> samples;
    for (const auto& step : steps) samples.push_back(value(step));
    return spread_of(samples);
  };
  Breakdown result{.steps = std::ssize(steps), .step_us = {}, .rows = {}};
  result.step_us = samples_of([](const std::vector<PhaseTime>& step) {
    return std::accumulate(step.begin(), step.end(), 0.0,
                           [](double sum, const PhaseTime& time) { return sum + time.total_us(); });
  });
  const auto order = phase_order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const PhaseRow row{.key = order[i],
                       .work_us = samples_of([i](const auto& step) { return step[i].work_us; }),
                       .wait_us = samples_of([i](const auto& step) { return step[i].wait_us; }),
                       .transfer_us = samples_of([i](const auto& step) { return step[i].transfer_us; })};
    if (row.work_us.mean + row.wait_us.mean + row.transfer_us.mean > 0) result.rows.push_back(row);
  }
  return result;
}

}  // namespace duet::trace
