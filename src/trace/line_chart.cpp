#include "trace/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "trace/html.h"

namespace duet::trace {

namespace {

constexpr double width = 860, height = 280;
constexpr double left = 64, right = width - 16, top = 30, bottom = height - 40;

double x_of(const Axis& axis, double value) { return left + axis.place(value) * (right - left); }
double y_of(const Axis& axis, double value) { return bottom - axis.place(value) * (bottom - top); }

std::string axes(const LineChart& chart) {
  std::string out;
  for (const double tick : chart.y.ticks) {
    const double y = y_of(chart.y, tick);
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", left, y, right);
    out += fmt::format("<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left - 8, y + 4, tick_label(tick));
  }
  for (const double tick : chart.x.ticks) {
    const double x = x_of(chart.x, tick);
    out += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/>", x, bottom);
    out +=
        fmt::format("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x, bottom + 20, tick_label(tick));
  }
  out += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, bottom, right);
  out += fmt::format("<text x=\"4\" y=\"14\">{}</text>", escape(chart.y_label));
  return out + fmt::format("<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">step</text>\n", right, height - 4);
}

// h0 makes a dot of a point that stands alone.
std::string path_of(const LineChart& chart, const Line& line) {
  std::string path;
  bool pen_down = false;
  for (const auto& point : thin(line.points, 600)) {
    const double y = y_of(chart.y, point.y);
    if (!std::isfinite(y)) {
      pen_down = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}{}", pen_down ? "L" : "M", x_of(chart.x, point.x), y, pen_down ? "" : "h0");
    pen_down = true;
  }
  return path;
}

}  // namespace

std::vector<Point> thin(const std::vector<Point>& points, std::size_t limit) {
  if (points.size() <= limit) return points;
  const std::size_t stretches = std::max<std::size_t>(limit / 3, 1);
  std::vector<Point> kept;
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto end = points.size() * (i + 1) / stretches;
    std::size_t lowest = points.size(), highest = points.size(), gap = points.size();
    for (auto at = points.size() * i / stretches; at < end; ++at) {
      if (!std::isfinite(points[at].y)) {
        gap = std::min(gap, at);
        continue;
      }
      if (lowest == points.size() || points[at].y < points[lowest].y) lowest = at;
      if (highest == points.size() || points[at].y > points[highest].y) highest = at;
    }
    for (const auto at : std::set{lowest, highest, gap}) {
      if (at < points.size()) kept.push_back(points[at]);
    }
  }
  return kept;
}

std::string line_chart(const LineChart& chart) {
  std::string shapes = axes(chart);
  std::vector<LegendEntry> entries;
  for (const auto& line : chart.lines) {
    shapes += fmt::format("<path class=\"line {}\" stroke-width=\"{}\" d=\"{}\"><title>{}</title></path>\n", line.color,
                          line.width, path_of(chart, line), escape(line.label));
    entries.push_back({line.color, line.label});
  }
  return drawing(chart.label, width, height, shapes) + legend(entries);
}

}  // namespace duet::trace
