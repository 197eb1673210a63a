#include "viz/model/curves_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trace/axis.h"

namespace duet::viz {

namespace {

struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

Range range_of(const std::vector<StepSummary>& summaries) {
  Range range{summaries.front().step, summaries.front().step};
  for (const auto& one : summaries) range = {std::min(range.first, one.step), std::max(range.last, one.step)};
  return range;
}

Rect plot_of(Rect rect, float line) {
  return {rect.x + 5 * line, rect.y + 1.4F * line, rect.width - 6 * line, rect.height - 3 * line};
}

float x_of(std::int64_t step, Range range, Rect plot) {
  const auto span = static_cast<float>(std::max<std::int64_t>(1, range.last - range.first));
  return plot.x + plot.width * static_cast<float>(step - range.first) / span;
}

void label(Shapes& shapes, Point at, std::string words, Align align, Ink ink) {
  shapes.push_back({.form = Form::text,
                    .box = {at.x, at.y, 0, 0},
                    .colour = {ink},
                    .text = std::move(words),
                    .size = 0.9F,
                    .align = align});
}

void add_line(Shapes& shapes, Point a, Point b, Colour colour, float width) {
  shapes.push_back({.form = Form::line, .box = {a.x, a.y, b.x - a.x, b.y - a.y}, .colour = colour, .size = width});
}

void axis(Shapes& shapes, const trace::Axis& values, Range range, Rect plot, float line) {
  for (const double tick : values.ticks) {
    const float y = plot.bottom() - plot.height * static_cast<float>(values.place(tick));
    add_line(shapes, {plot.x, y}, {plot.right(), y}, {Ink::rule}, 1);
    label(shapes, {plot.x - 0.4F * line, y - 0.5F * line}, trace::tick_label(tick), Align::right, Ink::muted);
  }
  label(shapes, {plot.x, plot.bottom() + 0.2F * line}, fmt::format("step {}", range.first), Align::left, Ink::muted);
  label(shapes, {plot.right(), plot.bottom() + 0.2F * line}, fmt::format("{}", range.last), Align::right, Ink::muted);
}

// Least, largest and last value of the steps in one column of pixels.
struct Column {
  bool used = false;
  double low = 0, high = 0, last = 0;
};

std::vector<Column> columns_of(const Curves& curves, int mode, Metric metric, Range range, Rect plot) {
  std::vector<Column> columns(static_cast<std::size_t>(std::max(1.0F, plot.width)) + 1);
  for (const auto& one : *curves.summaries) {
    const auto value = value_of(one, metric);
    if (one.mode != mode || !std::isfinite(value)) continue;
    auto& column = columns[static_cast<std::size_t>(x_of(one.step, range, plot) - plot.x)];
    column = {true, column.used ? std::min(column.low, value) : value,
              column.used ? std::max(column.high, value) : value, value};
  }
  return columns;
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
  label(shapes, {rect.x + 0.3F * line, rect.y}, name(metric), Align::left, Ink::text);
  if (curves.summaries->empty()) return shapes;
  const auto plot = plot_of(rect, line);
  const auto range = range_of(*curves.summaries);
  double low = INFINITY, high = -INFINITY;
  for (const auto& one : *curves.summaries) {
    const auto value = value_of(one, metric);
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  }
  const auto values = trace::linear_axis(std::min(low, 0.0), high, trace::Ends::round);
  axis(shapes, values, range, plot, line);
  const float now = x_of(curves.step, range, plot);
  add_line(shapes, {now, plot.y}, {now, plot.bottom()}, {Ink::accent, 0, 0.6F}, 1);
  const auto y_of = [&](double value) { return plot.bottom() - plot.height * static_cast<float>(values.place(value)); };
  for (std::size_t mode = 0; mode < curves.modes.size(); ++mode) {
    const auto columns = columns_of(curves, static_cast<int>(mode), metric, range, plot);
    const Colour colour{Ink::expert, static_cast<int>(mode)};
    Point before;
    bool begun = false;
    for (std::size_t x = 0; x < columns.size(); ++x) {
      if (!columns[x].used) continue;
      const Point here{plot.x + static_cast<float>(x), y_of(columns[x].last)};
      if (begun) add_line(shapes, before, here, colour, 1.5F);
      if (columns[x].high > columns[x].low) {
        add_line(shapes, {here.x, y_of(columns[x].low)}, {here.x, y_of(columns[x].high)}, colour, 1);
      }
      before = here;
      begun = true;
    }
    label(shapes, {plot.right() - static_cast<float>(curves.modes.size() - 1 - mode) * 4 * line, rect.y},
          curves.modes[mode], Align::right, Ink::text);
    shapes.back().colour = colour;
  }
  return shapes;
}

std::int64_t step_at(const Curves& curves, Rect rect, float line, float x) {
  if (curves.summaries->empty()) return -1;
  const auto plot = plot_of(rect, line);
  const auto range = range_of(*curves.summaries);
  std::int64_t nearest = -1;
  float apart = INFINITY;
  for (const auto& one : *curves.summaries) {
    const float distance = std::abs(x_of(one.step, range, plot) - x);
    if (distance < apart) apart = distance, nearest = one.step;
  }
  return nearest;
}

std::string tell_curve(const Curves& curves, Metric metric, std::int64_t step) {
  std::string text = fmt::format("step {}:", step);
  for (const auto& one : *curves.summaries) {
    if (one.step != step) continue;
    text += fmt::format(" {} {:.5g}", curves.modes[static_cast<std::size_t>(one.mode)], value_of(one, metric));
  }
  return text;
}

Shapes lay_out_load(const Curves& curves, int mode, Rect rect, float line) {
  Shapes shapes;
  label(shapes, {rect.x + 0.3F * line, rect.y}, "tokens of each expert, step by step (red: dropped)", Align::left,
        Ink::text);
  if (curves.summaries->empty()) return shapes;
  const auto plot = plot_of(rect, line);
  const auto range = range_of(*curves.summaries);
  std::size_t experts = 0;
  for (const auto& one : *curves.summaries) experts = std::max(experts, one.tokens_per_expert.size());
  if (experts == 0) return shapes;
  const float height = plot.height / static_cast<float>(experts);
  const float width = std::max(1.0F, plot.width / static_cast<float>(range.last - range.first + 1));
  float drawn_to = -1;
  for (const auto& one : *curves.summaries) {
    const float x = plot.x + (plot.width - width) * (x_of(one.step, range, plot) - plot.x) / plot.width;
    if (one.mode != mode || x < drawn_to) continue;  // one column of cells a pixel is enough
    drawn_to = x + width * 0.999F;
    const auto pairs = std::accumulate(one.tokens_per_expert.begin(), one.tokens_per_expert.end(), std::int64_t{0});
    for (std::size_t e = 0; pairs > 0 && e < one.tokens_per_expert.size(); ++e) {
      const auto wanted = static_cast<float>(one.tokens_per_expert[e]);
      const Rect cell{x, plot.y + static_cast<float>(e) * height, width, height * 0.94F};
      const float share = wanted / static_cast<float>(pairs);
      shapes.push_back({.box = cell,
                        .colour = {Ink::expert, static_cast<int>(e), std::min(1.0F, 0.08F + share)},
                        .hit = {Thing::cell, one.step, static_cast<std::int64_t>(e)}});
      const auto lost = e < one.dropped_per_expert.size() ? static_cast<float>(one.dropped_per_expert[e]) : 0;
      if (lost == 0) continue;
      const float foot = cell.height * lost / wanted;
      shapes.push_back({.box = {x, cell.bottom() - foot, width, foot},
                        .colour = {Ink::dropped},
                        .hit = {Thing::cell, one.step, static_cast<std::int64_t>(e)}});
    }
  }
  for (std::size_t e = 0; e < experts && height > 0.7F * line; ++e) {
    label(shapes, {plot.x - 0.4F * line, plot.y + (static_cast<float>(e) + 0.5F) * height - 0.5F * line},
          fmt::format("E{}", e), Align::right, Ink::muted);
  }
  const float now = x_of(curves.step, range, plot);
  add_line(shapes, {now, plot.y}, {now, plot.bottom()}, {Ink::accent}, 1);
  return shapes;
}

std::string tell_load(const Curves& curves, int mode, Hit hit) {
  for (const auto& one : *curves.summaries) {
    const auto expert = static_cast<std::size_t>(hit.b);
    if (one.mode != mode || one.step != hit.a || expert >= one.tokens_per_expert.size()) continue;
    const auto lost = expert < one.dropped_per_expert.size() ? one.dropped_per_expert[expert] : 0;
    return fmt::format("step {}, expert {}: {} pairs, {} of them dropped; {}", one.step, hit.b,
                       one.tokens_per_expert[expert], lost,
                       one.capacity < 0 ? "no limit" : fmt::format("capacity {} a shard", one.capacity));
  }
  return "";
}

}  // namespace duet::viz
