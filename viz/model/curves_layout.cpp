#include "viz/model/curves_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trace/axis.h"
#include "viz/model/step_plot.h"

namespace duet::viz {

namespace {

// Least, largest and mean value of the steps in one column of pixels.
struct Column {
  std::size_t steps = 0;
  double low = 0, high = 0, mean = 0;
};

std::vector<Column> columns_of(const Curves& curves, int mode, Metric metric, const StepPlot& plot) {
  std::vector<Column> columns(static_cast<std::size_t>(plot.area.width) + 2);
  for (const auto& one : *curves.summaries) {
    const auto value = value_of(one, metric);
    if (one.mode != mode || !std::isfinite(value)) continue;
    auto& column = columns[static_cast<std::size_t>(plot.x_of(one.step) - plot.area.x)];
    const bool first = column.steps++ == 0;
    column.low = first ? value : std::min(column.low, value);
    column.high = first ? value : std::max(column.high, value);
    column.mean += (value - column.mean) / static_cast<double>(column.steps);
  }
  return columns;
}

trace::Axis axis_of(const Curves& curves, Metric metric) {
  double low = 0, high = 0;
  for (const auto& one : *curves.summaries) {
    const auto value = value_of(one, metric);
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  }
  return trace::linear_axis(low, high > low ? high : low + 1, trace::Ends::round);
}

/// Where a value lies.
struct Heights {
  trace::Axis axis;
  Rect area;
  float y_of(double value) const { return area.bottom() - area.height * static_cast<float>(axis.place(value)); }
};

void add_ticks(Shapes& shapes, const Heights& heights, float line) {
  for (const double tick : heights.axis.ticks) {
    const float y = heights.y_of(tick);
    add_line(shapes, {heights.area.x, y}, {heights.area.right(), y}, {Ink::rule}, 1);
    add_label(shapes, {heights.area.x - 0.4F * line, y - 0.5F * line}, trace::tick_label(tick), Align::right,
              Ink::muted);
  }
}

float width_of(std::size_t mode, std::size_t modes) {
  constexpr float widest = 6, thinnest = 1.5F;
  if (modes < 2) return thinnest + 0.5F;
  return widest - (widest - thinnest) * static_cast<float>(mode) / static_cast<float>(modes - 1);
}

// The mean as a line; where several steps share a column, all of them as a pale band round it, so that one mode's noise
// does not hide another's line.
void add_curve(Shapes& shapes, const std::vector<Column>& columns, const Heights& heights, Colour colour, float width) {
  Point before;
  std::size_t points = 0;
  for (std::size_t x = 0; x < columns.size(); ++x) {
    if (columns[x].steps == 0) continue;
    const Point here{heights.area.x + static_cast<float>(x), heights.y_of(columns[x].mean)};
    if (points++ > 0) add_line(shapes, before, here, colour, width);
    if (columns[x].high > columns[x].low) {
      const float top = heights.y_of(columns[x].high);
      shapes.push_back(
          {.box = {here.x, top, 1, heights.y_of(columns[x].low) - top}, .colour = {colour.ink, colour.index, 0.3F}});
    }
    before = here;
  }
  if (points != 1) return;
  const float size = width + 4;  // a single step is a point, not a line
  shapes.push_back({.box = {before.x - size / 2, before.y - size / 2, size, size}, .colour = colour});
}

}  // namespace

const char* name(Metric metric) {
  switch (metric) {
    case Metric::loss:
      return "loss";
    case Metric::aux:
      return "auxiliary loss, weighted";
    case Metric::std:
      return "std of tokens per expert";
    case Metric::dropped:
      return "share dropped";
    case Metric::grad_norm:
      return "gradient norm";
    case Metric::step_time:
      return "step time, us";
  }
  return "";
}

double value_of(const StepSummary& summary, Metric metric) {
  switch (metric) {
    case Metric::loss:
      return summary.loss;
    case Metric::aux:
      return summary.aux;
    case Metric::std:
      return summary.std();
    case Metric::dropped:
      return summary.dropped();
    case Metric::grad_norm:
      return summary.grad_norm;
    case Metric::step_time:
      return summary.step_us;
  }
  return 0;
}

Shapes lay_out_curve(const Curves& curves, Metric metric, Rect rect, float line) {
  Shapes shapes;
  add_label(shapes, {rect.x + 0.3F * line, rect.y}, name(metric), Align::left, Ink::text);
  if (curves.summaries->empty()) return shapes;
  const auto plot = step_plot(*curves.summaries, rect, line);
  const Heights heights{axis_of(curves, metric), plot.area};
  add_ticks(shapes, heights, line);
  add_step_axis(shapes, plot, line);
  const float now = plot.x_of(curves.step);
  add_line(shapes, {now, plot.area.y}, {now, plot.area.bottom()}, {Ink::accent, 0, 0.6F}, 1);
  for (std::size_t mode = 0; mode < curves.modes.size(); ++mode) {
    add_curve(shapes, columns_of(curves, static_cast<int>(mode), metric, plot), heights,
              {Ink::expert, static_cast<int>(mode)}, width_of(mode, curves.modes.size()));
  }
  return shapes;
}

Shapes lay_out_legend(const std::vector<std::string>& modes, Rect rect, float line) {
  Shapes shapes;
  const float swatch = 2 * line;
  float x = rect.x + 0.3F * line;
  for (std::size_t mode = 0; mode < modes.size(); ++mode) {
    const float y = rect.y + rect.height / 2;
    add_line(shapes, {x, y}, {x + swatch, y}, {Ink::expert, static_cast<int>(mode)}, width_of(mode, modes.size()));
    add_label(shapes, {x + swatch + 0.3F * line, y - 0.45F * line}, modes[mode], Align::left, Ink::text);
    x += swatch + (1.5F + 0.5F * static_cast<float>(modes[mode].size())) * line;
  }
  return shapes;
}

CurvePoint nearest_point(const Curves& curves, Metric metric, Rect rect, float line, Point pointer) {
  if (curves.summaries->empty()) return {};
  const auto plot = step_plot(*curves.summaries, rect, line);
  const Heights heights{axis_of(curves, metric), plot.area};
  CurvePoint nearest;
  float apart = INFINITY;
  for (const auto& one : *curves.summaries) {
    const auto value = value_of(one, metric);
    if (!std::isfinite(value)) continue;
    const Point at{plot.x_of(one.step), heights.y_of(value)};
    const float distance = 8 * std::abs(at.x - pointer.x) + std::abs(at.y - pointer.y);
    if (distance < apart) apart = distance, nearest = {&one, at};
  }
  return nearest;
}

std::string tell_curve(const Curves& curves, Metric metric, std::int64_t step) {
  std::string text = fmt::format("step {}:", step);
  for (const auto& one : *curves.summaries) {
    if (one.step != step) continue;
    const auto value = value_of(one, metric);
    text += fmt::format("  {} {}", curves.modes[static_cast<std::size_t>(one.mode)],
                        metric == Metric::step_time ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value));
  }
  return text;
}

}  // namespace duet::viz
