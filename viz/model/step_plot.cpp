#include "viz/model/step_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace duet::viz {

float StepPlot::x_of(std::int64_t step) const {
  if (first == last) return area.x + area.width / 2;
  return area.x + area.width * static_cast<float>(step - first) / static_cast<float>(last - first);
}

StepPlot step_plot(const std::vector<StepSummary>& summaries, Rect rect, float line) {
  const Rect area{rect.x + 4.2F * line, rect.y + 1.4F * line, std::max(1.0F, rect.width - 5.2F * line),
                  std::max(1.0F, rect.height - 2.8F * line)};
  StepPlot plot{area, summaries.front().step, summaries.front().step};
  for (const auto& one : summaries) {
    plot.first = std::min(plot.first, one.step);
    plot.last = std::max(plot.last, one.step);
  }
  return plot;
}

void add_label(Shapes& shapes, Point at, std::string words, Align align, Ink ink) {
  shapes.push_back({.form = Form::text,
                    .box = {at.x, at.y, 0, 0},
                    .colour = {ink},
                    .text = std::move(words),
                    .size = 0.9F,
                    .align = align});
}

void add_line(Shapes& shapes, Point from, Point to, Colour colour, float width) {
  shapes.push_back(
      {.form = Form::line, .box = {from.x, from.y, to.x - from.x, to.y - from.y}, .colour = colour, .size = width});
}

void add_step_axis(Shapes& shapes, const StepPlot& plot, float line) {
  const float y = plot.area.bottom() + 0.2F * line;
  if (plot.first == plot.last) {
    return add_label(shapes, {plot.x_of(plot.first), y}, fmt::format("step {}", plot.first), Align::middle, Ink::muted);
  }
  add_label(shapes, {plot.area.x, y}, fmt::format("step {}", plot.first), Align::left, Ink::muted);
  add_label(shapes, {plot.area.right(), y}, fmt::format("{}", plot.last), Align::right, Ink::muted);
}

}  // namespace duet::viz
