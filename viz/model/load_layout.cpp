#include "viz/model/load_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "viz/model/selection.h"
#include "viz/model/step_plot.h"

namespace duet::viz {

namespace {

/// Where the rows of experts and the columns of steps lie.
struct Grid {
  StepPlot plot;
  float row = 0;     ///< height of an expert's row
  float column = 0;  ///< width of a step's cell, a pixel at least

  Rect cell(std::int64_t step, std::size_t expert) const {
    const auto steps = static_cast<float>(plot.last - plot.first + 1);
    const float x = plot.area.x + plot.area.width * static_cast<float>(step - plot.first) / steps;
    const float gap = row > 6 ? std::min(row * 0.06F, 4.0F) : 0;
    return {x, plot.area.y + static_cast<float>(expert) * row, column, row - gap};
  }
};

std::size_t experts_of(const Curves& curves, int mode) {
  std::size_t experts = 0;
  for (const auto& one : *curves.summaries) {
    if (one.mode == mode) experts = std::max(experts, one.tokens_per_expert.size());
  }
  return experts;
}

void add_cells(Shapes& shapes, const StepSummary& one, const Grid& grid) {
  const auto pairs = std::accumulate(one.tokens_per_expert.begin(), one.tokens_per_expert.end(), std::int64_t{0});
  if (pairs == 0) return;
  const auto most = *std::max_element(one.tokens_per_expert.begin(), one.tokens_per_expert.end());
  for (std::size_t e = 0; e < one.tokens_per_expert.size(); ++e) {
    const auto wanted = static_cast<float>(one.tokens_per_expert[e]);
    const auto cell = grid.cell(one.step, e);
    const Hit hit{Thing::cell, one.step, static_cast<std::int64_t>(e)};
    const float shade = wanted / static_cast<float>(most);  // of many experts no one has a large share
    shapes.push_back({.box = cell, .colour = {Ink::expert, static_cast<int>(e), 0.06F + 0.84F * shade}, .hit = hit});
    const auto lost = e < one.dropped_per_expert.size() ? static_cast<float>(one.dropped_per_expert[e]) : 0;
    if (lost == 0) continue;
    const float foot = std::min(cell.height, std::max(1.0F, cell.height * lost / wanted));
    shapes.push_back({.box = {cell.x, cell.bottom() - foot, cell.width, foot}, .colour = {Ink::dropped}, .hit = hit});
  }
}

void add_names(Shapes& shapes, const Grid& grid, std::size_t experts, float line) {
  const auto every = static_cast<std::size_t>(std::max(1.0F, 1.0F + line / grid.row));  // those that have room
  for (std::size_t e = 0; e < experts; e += grid.row >= line ? 1 : every) {
    const auto cell = grid.cell(grid.plot.first, e);
    add_label(shapes, {grid.plot.area.x - 0.4F * line, cell.y + grid.row / 2 - 0.45F * line}, fmt::format("E{}", e),
              Align::right, Ink::muted);
  }
}

}  // namespace

namespace {

std::string caption_of(const Curves& curves, int mode) {
  const std::string caption = "darker: more of the step's pairs; red foot: dropped";
  for (const auto& one : *curves.summaries) {
    if (one.mode != mode || one.step != curves.step) continue;
    if (one.capacity < 0) return caption + "; no limit";
    return caption + fmt::format("; at step {} an expert takes {} of a shard", one.step, one.capacity);
  }
  return caption;
}

}  // namespace

Shapes lay_out_load(const Curves& curves, int mode, Hit pinned, Rect rect, float line) {
  Shapes shapes;
  add_label(shapes, {rect.x + 0.3F * line, rect.y}, caption_of(curves, mode), Align::left, Ink::text);
  const auto experts = experts_of(curves, mode);
  if (experts == 0) {
    add_label(shapes, {rect.x + 0.3F * line, rect.y + 2 * line}, "this trace does not say who chose which expert",
              Align::left, Ink::muted);
    return shapes;
  }
  const auto plot = step_plot(*curves.summaries, rect, line);
  const auto steps = static_cast<float>(plot.last - plot.first + 1);
  const Grid grid{plot, plot.area.height / static_cast<float>(experts), std::max(1.0F, plot.area.width / steps)};
  float drawn = -1;
  for (const auto& one : *curves.summaries) {
    const float pixel = std::floor(grid.cell(one.step, 0).x);
    if (one.mode != mode || pixel == drawn) continue;  // one column of cells a pixel is enough
    drawn = pixel;
    add_cells(shapes, one, grid);
  }
  add_names(shapes, grid, experts, line);
  add_step_axis(shapes, plot, line);
  if (const auto chosen = selection_of(pinned).expert; chosen && *chosen < static_cast<std::int64_t>(experts)) {
    const auto cell = grid.cell(plot.first, static_cast<std::size_t>(*chosen));
    shapes.push_back({.form = Form::outline,
                      .box = {plot.area.x, cell.y, plot.area.width, std::max(2.0F, cell.height)},
                      .colour = {Ink::text},
                      .size = 2});
  }
  const auto now = grid.cell(curves.step, 0);
  shapes.push_back({.form = Form::outline,
                    .box = {now.x, plot.area.y, std::max(3.0F, grid.column), plot.area.height},
                    .colour = {Ink::accent},
                    .size = 2});
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
