#include "trace/chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace duet::trace {

namespace {

using nlohmann::ordered_json;

constexpr int phases_track = 1;
constexpr int communication_track = 2;
constexpr int device_track = 3;

ordered_json name_tag(const char* kind, int rank, int track, const std::string& text) {
  return {{"name", kind}, {"ph", "M"}, {"pid", rank}, {"tid", track}, {"args", {{"name", text}}}};
}

// A span of time on a track ("X": a complete event).
ordered_json span(const std::string& name, const char* category, int rank, int track, std::int64_t start_ns,
                  std::int64_t end_ns) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", rank},
          {"tid", track},
          {"ts", static_cast<double>(start_ns) / 1000},
          {"dur", static_cast<double>(std::max<std::int64_t>(end_ns - start_ns, 0)) / 1000}};
}

ordered_json event_span(const StepRecord& step, int rank, const Event& event) {
  const bool phase = event.operation == Operation::none;
  auto json = span(phase ? name(event.phase) : name(event.operation), phase ? "phase" : "communication", rank,
                   phase ? phases_track : communication_track, event.start_ns, event.end_ns);
  auto& args = json["args"];
  args = {{"mode", step.mode}, {"step", step.step}, {"direction", name(event.direction)}};
  if (phase) return json;
  args["phase"] = name(event.phase);
  args["bytes"] = event.bytes;
  if (event.modelled) args["modelled"] = true;
  if (!event.rows_to.empty()) args["rows_to"] = event.rows_to;
  return json;
}

// What the event did on the device, on a track of its own: the host did not wait for it.
ordered_json device_span(const StepRecord& step, int rank, const Event& event) {
  auto json = span(event.operation == Operation::none ? name(event.phase) : name(event.operation), "device", rank,
                   device_track, event.device_start_ns, event.device_end_ns);
  json["args"] = {{"mode", step.mode}, {"step", step.step}, {"direction", name(event.direction)}};
  return json;
}

bool any_on_device(const Trace& trace) {
  for (const auto& step : trace.steps) {
    for (const auto& rank : step.ranks) {
      if (std::any_of(rank.events.begin(), rank.events.end(), [](const Event& e) { return e.on_device(); }))
        return true;
    }
  }
  return false;
}

// The step around its phases.
ordered_json step_span(const StepRecord& step, const RankStep& rank) {
  std::int64_t start = rank.events.front().start_ns;
  std::int64_t end = start;
  for (const auto& event : rank.events) {
    start = std::min(start, event.start_ns);
    end = std::max(end, event.end_ns);
  }
  auto json = span(fmt::format("{} step {}", step.mode, step.step), "step", rank.rank, phases_track, start, end);
  json["args"] = {{"mode", step.mode}, {"step", step.step}};
  return json;
}

std::set<int> ranks_of(const Trace& trace) {
  std::set<int> ranks;
  for (const auto& step : trace.steps) {
    for (const auto& rank : step.ranks) ranks.insert(rank.rank);
  }
  return ranks;
}

// Long traces are made of lines, not of one JSON tree: it would take many times the memory.
void append(std::string& text, const ordered_json& event) {
  if (text.back() == '}') text += ',';
  text += '\n';
  text += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string chrome_json(const Trace& trace) {
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[)";
  const bool device = any_on_device(trace);
  for (const int rank : ranks_of(trace)) {
    append(text, name_tag("process_name", rank, 0, fmt::format("rank {}", rank)));
    append(text, name_tag("thread_name", rank, phases_track, "phases"));
    append(text, name_tag("thread_name", rank, communication_track, "communication"));
    if (device) append(text, name_tag("thread_name", rank, device_track, "device"));
  }
  for (const auto& step : trace.steps) {
    for (const auto& rank : step.ranks) {
      if (rank.events.empty()) continue;
      append(text, step_span(step, rank));
      for (const auto& event : rank.events) {
        append(text, event_span(step, rank.rank, event));
        if (event.on_device()) append(text, device_span(step, rank.rank, event));
      }
    }
  }
  return text + "\n]}\n";
}

}  // namespace duet::trace
