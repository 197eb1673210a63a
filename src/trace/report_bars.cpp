#include "trace/report_bars.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/axis.h"
#include "trace/breakdown.h"
#include "trace/html.h"
#include "trace/modes.h"

namespace duet::trace {

namespace {

constexpr double width = 860, left = 80, right = width - 90, row_height = 46, bar_height = 30;

struct ModeBar {
  std::string mode;
  Breakdown breakdown;
};

std::string color_of(const PhaseKey& key) {
  return key.between ? "c10" : fmt::format("c{}", static_cast<int>(key.phase));
}

std::vector<ModeBar> bars_of(const Trace& trace) {
  std::vector<ModeBar> bars;
  for (const auto& mode : modes_of(trace)) {
    std::vector<std::vector<PhaseTime>> times;
    for (const auto* step : timed_steps(trace, mode)) times.push_back(divide(*step));
    bars.push_back({mode, break_down(times)});
  }
  return bars;
}

std::string segment(const PhaseKey& key, const char* part, const Axis& axis, double start_us, double us, double y) {
  if (us <= 0) return "";
  const double x = left + axis.place(start_us) * (right - left);
  const double w = axis.place(us) * (right - left);
  const auto color = color_of(key);
  const auto paint = std::string(part) == "wait" ? fmt::format(" style=\"fill:url(#wait-{})\"", color) : "";
  return fmt::format(
      "<rect class=\"{} {}\"{} x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\"><title>{}: {} {} µs"
      "</title></rect>\n",
      part, color, paint, x, y, w, bar_height, escape(label(key)), part, three_digits(us));
}

std::string bar(const ModeBar& mode, const Axis& axis, double y) {
  std::string out = fmt::format("<text class=\"strong\" x=\"4\" y=\"{:.1f}\">{}</text>\n", y + 20, escape(mode.mode));
  // Hides the grid behind transfers, which are half transparent.
  out += fmt::format("<rect class=\"ground\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\"/>\n", left, y,
                     axis.place(mode.breakdown.step_us.mean) * (right - left), bar_height);
  double at = 0;
  for (const auto& row : mode.breakdown.rows) {
    const std::pair<const char*, double> parts[] = {
        {"work", row.work_us.mean}, {"wait", row.wait_us.mean}, {"transfer", row.transfer_us.mean}};
    for (const auto& [part, us] : parts) {
      out += segment(row.key, part, axis, at, us, y);
      at += std::max(us, 0.0);
    }
  }
  const double end = left + axis.place(at) * (right - left);
  return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{} µs</text>\n", end + 8, y + 20, three_digits(at));
}

// Waiting is hatched: nothing happens, but the time passes.
std::string hatches() {
  std::string out = "<defs>";
  for (int color = 0; color <= 10; ++color) {
    out += fmt::format(
        "<pattern id=\"wait-c{0}\" class=\"c{0}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect class=\"hatch-ground\" width=\"6\" height=\"6\"/><rect class=\"hatch\" "
        "width=\"2\" height=\"6\"/></pattern>",
        color);
  }
  return out + "</defs>\n";
}

std::string bars_drawing(const std::vector<ModeBar>& bars) {
  double longest = 0;
  for (const auto& mode : bars) longest = std::max(longest, mode.breakdown.step_us.mean);
  const auto axis = linear_axis(0, longest, Ends::exact);
  const double bottom = 8 + row_height * static_cast<double>(bars.size());
  std::string shapes = hatches();
  for (const double tick : axis.ticks) {
    const double x = left + axis.place(tick) * (right - left);
    shapes += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} 4V{1:.1f}\"/><text class=\"middle\" x=\"{0:.1f}\" "
        "y=\"{2:.1f}\">{3}</text>\n",
        x, bottom, bottom + 18, tick_label(tick));
  }
  shapes += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">µs</text>\n", right + 24, bottom + 18);
  for (std::size_t i = 0; i < bars.size(); ++i) shapes += bar(bars[i], axis, 12 + row_height * static_cast<double>(i));
  return drawing("The phases of a step in each mode, in microseconds on one scale", width, bottom + 26, shapes);
}

const char* const part_legend =
    "<ul class=\"legend\"><li><i class=\"c4\"></i>work</li><li><i class=\"c4 hatched\"></i>waiting for the latest "
    "rank</li>"
    "<li><i class=\"c4 pale\"></i>transfer</li></ul>\n";

std::string cell(const Breakdown& breakdown, const PhaseKey& key) {
  const auto row =
      std::find_if(breakdown.rows.begin(), breakdown.rows.end(), [&](const PhaseRow& r) { return r.key == key; });
  if (row == breakdown.rows.end()) return "<td class=\"muted\">–</td>";
  const double total = row->work_us.mean + row->wait_us.mean + row->transfer_us.mean;
  std::string out = fmt::format("<td>{}", three_digits(total));
  if (row->wait_us.mean > 0) out += fmt::format("<small>wait {}</small>", three_digits(row->wait_us.mean));
  if (row->transfer_us.mean > 0) out += fmt::format("<small>transfer {}</small>", three_digits(row->transfer_us.mean));
  return out + "</td>";
}

// The same in figures, which also says what the colours mean.
std::string phase_table(const std::vector<ModeBar>& bars) {
  std::string out = "<table><thead><tr><th>µs a step</th>";
  for (const auto& mode : bars) out += fmt::format("<th>{}</th>", escape(mode.mode));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& key : phase_order()) {
    std::string cells;
    for (const auto& mode : bars) cells += cell(mode.breakdown, key);
    if (cells.find("<td>") == std::string::npos) continue;
    out += fmt::format("<tr><th><i class=\"{}\"></i>{}</th>{}</tr>\n", color_of(key), escape(label(key)), cells);
  }
  out += "<tr class=\"sum\"><th>mean step</th>";
  for (const auto& mode : bars) out += fmt::format("<td>{}</td>", three_digits(mode.breakdown.step_us.mean));
  out += "</tr>\n<tr><th>median step</th>";
  for (const auto& mode : bars) out += fmt::format("<td>{}</td>", three_digits(mode.breakdown.step_us.median));
  return out + "</tr>\n</tbody></table>\n";
}

}  // namespace

std::string breakdown_section(const Trace& trace) {
  const auto bars = bars_of(trace);
  if (bars.empty()) return section("Where the time of a step goes", paragraph("No step was recorded."));
  std::string counts;
  for (const auto& mode : bars) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", mode.mode, mode.breakdown.steps);
  }
  const auto intro = fmt::format(
      "The slowest rank of each step, as a mean over the steps of each mode{} ({}). All bars are on one scale.",
      trace.header.warm_up > 0 ? " after the warm-up" : "", counts);
  return section("Where the time of a step goes",
                 paragraph(intro) + bars_drawing(bars) + part_legend + phase_table(bars));
}

}  // namespace duet::trace
