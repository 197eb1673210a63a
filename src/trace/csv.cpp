#include "trace/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace duet::trace {

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + '"';
}

std::string communication_columns(const Event& event) {
  if (event.operation == Operation::none) return ",,,,,";
  return fmt::format("{},{},{},{},{},{}", name(event.operation), event.bytes, event.modelled ? 1 : 0,
                     fmt::join(event.rows_to, " "), event.group, event.sequence);
}

std::string device_columns(const Event& event) {
  return event.on_device() ? fmt::format("{},{}", event.device_start_ns, event.device_end_ns) : ",";
}

}  // namespace

std::string events_csv(const Trace& trace) {
  std::string text =
      "mode,step,rank,phase,direction,start_ns,end_ns,operation,bytes,modelled,rows_to,group,sequence,"
      "device_start_ns,device_end_ns\n";
  for (const auto& step : trace.steps) {
    const auto mode = quoted(step.mode);
    for (const auto& rank : step.ranks) {
      for (const auto& event : rank.events) {
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", mode, step.step, rank.rank,
                       name(event.phase), name(event.direction), event.start_ns, event.end_ns,
                       communication_columns(event), device_columns(event));
      }
    }
  }
  return text;
}

}  // namespace duet::trace
