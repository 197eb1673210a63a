#include "trace/report_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "trace/html.h"
#include "trace/line_chart.h"
#include "trace/modes.h"

namespace duet::trace {

namespace {

using Counts = std::vector<std::int64_t>;
using CountsOf = std::function<Counts(const StepRecord&)>;

// Colours in an order in which neighbours are far apart.
std::string expert_color(std::size_t expert) {
  static constexpr std::array order{4, 3, 7, 8, 6, 0, 2, 5, 9, 1};
  return fmt::format("c{}", order[expert % order.size()]);
}

Axis step_axis(const Trace& trace) {
  double first = 0, last = 0;
  for (const auto& step : trace.steps) {
    first = &step == &trace.steps.front() ? static_cast<double>(step.step)
                                          : std::min(first, static_cast<double>(step.step));
    last = std::max(last, static_cast<double>(step.step));
  }
  return whole_axis(first, last, Ends::exact);
}

// Losses that fall far are told apart at the end only on a logarithmic axis.
Axis loss_axis(const Trace& trace) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const auto& step : trace.steps) {
    if (!std::isfinite(step.loss)) continue;
    low = std::min(low, step.loss);
    high = std::max(high, step.loss);
  }
  return low > 0 && high >= 10 * low ? logarithmic_axis(low, high) : linear_axis(std::min(low, 0.0), high, Ends::round);
}

std::vector<Line> loss_lines(const Trace& trace) {
  std::vector<Line> lines;
  const auto modes = modes_of(trace);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const auto steps = steps_of(trace, modes[i]);
    Line line{.label = fmt::format("{}: {} to {}", modes[i], three_digits(steps.front()->loss),
                                   three_digits(steps.back()->loss)),
              .color = fmt::format("m{}", i % 3),
              .points = {},
              .width = 2.0 + 3.5 * static_cast<double>(modes.size() - 1 - i)};
    for (const auto* step : steps) line.points.push_back({static_cast<double>(step->step), step->loss});
    lines.push_back(std::move(line));
  }
  return lines;
}

// The largest relative difference of two lines' losses at the same step; NaN where one alone is not finite.
double apart(const Line& a, const Line& b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.points.size(), b.points.size()); ++i) {
    const double x = a.points[i].y, y = b.points[i].y;
    if (!std::isfinite(x) && !std::isfinite(y)) continue;
    if (!std::isfinite(x) || !std::isfinite(y)) return std::nan("");
    if (x != y) largest = std::max(largest, std::abs(x - y) / std::max(std::abs(x), std::abs(y)));
  }
  return largest;
}

std::string agreement(const std::vector<Line>& lines) {
  if (lines.size() < 2) return "";
  double largest = 0;
  for (const auto& line : lines) largest = std::max(largest, apart(lines.front(), line));
  for (const auto& line : lines) {
    if (std::isnan(apart(lines.front(), line)))
      return " In one mode the loss is no number at a step where it is in another.";
  }
  if (largest == 0) return " The modes' losses are the same to the last bit, so their lines lie on each other.";
  if (largest < 1e-3) {
    return fmt::format(" The modes' losses differ by {:.1e} of their size at most, so their lines lie on each other.",
                       largest);
  }
  return fmt::format(" The modes' losses differ by up to {:.1f}% of their size.", 100 * largest);
}

std::string not_finite(const Trace& trace) {
  for (const auto& step : trace.steps) {
    if (!std::isfinite(step.loss))
      return fmt::format(" From step {} of {} on, the loss is not always a number.", step.step, step.mode);
  }
  return "";
}

std::vector<Line> expert_lines(const std::vector<const StepRecord*>& steps, const CountsOf& counts_of,
                               std::size_t experts) {
  std::vector<Line> lines(experts);
  for (std::size_t e = 0; e < experts; ++e) {
    lines[e].label = fmt::format("expert {}", e);
    lines[e].color = expert_color(e);
  }
  for (const auto* step : steps) {
    auto counts = counts_of(*step);
    counts.resize(experts);
    for (std::size_t e = 0; e < experts; ++e) {
      lines[e].points.push_back({static_cast<double>(step->step), static_cast<double>(counts[e])});
    }
  }
  return lines;
}

std::vector<Line> spread_lines(const std::vector<const StepRecord*>& steps, const CountsOf& counts_of) {
  std::vector<Line> lines{{.label = "the expert with most", .color = "c3", .points = {}},
                          {.label = "the median expert", .color = "c4", .points = {}},
                          {.label = "the expert with fewest", .color = "c7", .points = {}}};
  for (const auto* step : steps) {
    auto counts = counts_of(*step);
    if (counts.empty()) continue;
    std::sort(counts.begin(), counts.end());
    const auto x = static_cast<double>(step->step);
    lines[0].points.push_back({x, static_cast<double>(counts.back())});
    lines[1].points.push_back({x, static_cast<double>(counts[counts.size() / 2])});
    lines[2].points.push_back({x, static_cast<double>(counts.front())});
  }
  return lines;
}

std::string counts_chart(const Trace& trace, const std::string& mode, const CountsOf& counts_of,
                         const std::string& what) {
  const auto steps = steps_of(trace, mode);
  std::size_t experts = 0;
  std::int64_t most = 1;
  for (const auto* step : steps) {
    const auto counts = counts_of(*step);
    experts = std::max(experts, counts.size());
    for (const auto count : counts) most = std::max(most, count);
  }
  return line_chart(
      {.label = fmt::format("{} of each expert over steps", what),
       .y_label = what + " of an expert",
       .x = step_axis(trace),
       .y = whole_axis(0, static_cast<double>(most), Ends::round),
       .lines = experts <= 10 ? expert_lines(steps, counts_of, experts) : spread_lines(steps, counts_of)});
}

}  // namespace

std::string loss_section(const Trace& trace) {
  if (trace.steps.empty()) return section("Loss", paragraph("No step was recorded."));
  const auto lines = loss_lines(trace);
  const auto y = loss_axis(trace);
  const auto text =
      "The mean squared error of each step, without the auxiliary loss." + agreement(lines) + not_finite(trace);
  return section("Loss", paragraph(text) + line_chart({.label = "Loss over steps",
                                                       .y_label = y.logarithmic ? "loss (logarithmic)" : "loss",
                                                       .x = step_axis(trace),
                                                       .y = y,
                                                       .lines = lines}));
}

std::string tokens_section(const Trace& trace, const std::string& mode, std::size_t layer) {
  if (trace.steps.empty()) return section("Tokens per expert", paragraph("No step was recorded."));
  const auto text = fmt::format(
      "How many (token, choice) pairs the router of {} gave to each expert, over all ranks, before any was dropped.",
      mode);
  const auto counts = [layer](const StepRecord& step) { return tokens_per_expert(step, layer); };
  return section("Tokens per expert" + of_layer(trace.steps.front(), layer),
                 paragraph(text) + counts_chart(trace, mode, counts, "pairs"));
}

std::string drops_section(const Trace& trace, const std::string& mode, std::size_t layer) {
  if (trace.steps.empty()) return section("Drops", paragraph("No step was recorded."));
  std::int64_t pairs = 0, dropped = 0, capacity = -1;
  for (const auto* step : steps_of(trace, mode)) {
    for (const auto count : tokens_per_expert(*step, layer)) pairs += count;
    for (const auto count : dropped_per_expert(*step, layer)) dropped += count;
    capacity = step->capacity;
  }
  const auto title = "Drops" + of_layer(trace.steps.front(), layer);
  const auto limit = capacity < 0 ? std::string("an expert takes all that come")
                                  : fmt::format("an expert takes {} at most", with_commas(capacity));
  if (dropped == 0) return section(title, paragraph(fmt::format("No pair was dropped: {}.", limit)));
  const auto text = fmt::format(
      "{} of {} pairs ({:.2f}%) came to a full expert and were dropped: {}.", with_commas(dropped), with_commas(pairs),
      100 * static_cast<double>(dropped) / static_cast<double>(std::max<std::int64_t>(pairs, 1)), limit);
  const auto counts = [layer](const StepRecord& step) { return dropped_per_expert(step, layer); };
  return section(title, paragraph(text) + counts_chart(trace, mode, counts, "dropped pairs"));
}

}  // namespace duet::trace
