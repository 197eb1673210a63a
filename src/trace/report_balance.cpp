#include "trace/report_balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "trace/balance.h"
#include "trace/html.h"
#include "trace/line_chart.h"
#include "trace/modes.h"

namespace duet::trace {

namespace {

struct StepBalance {
  double step = 0;
  Balance balance;
};
using Value = std::function<double(const Balance&)>;

constexpr std::size_t most_experts = 10;  // more lines than that cannot be told apart

Line line_of(const std::vector<StepBalance>& steps, std::string label, std::string color, const Value& value) {
  Line line{.label = std::move(label), .color = std::move(color), .points = {}};
  for (const auto& one : steps) line.points.push_back({one.step, value(one.balance)});
  return line;
}

// From 0, so that heights compare; up to `high` where a value has an end of its own.
std::string chart(const std::vector<StepBalance>& steps, const std::string& what, std::vector<Line> lines,
                  double high) {
  for (const auto& line : lines) {
    for (const auto& point : line.points) {
      if (std::isfinite(point.y)) high = std::max(high, point.y);
    }
  }
  return line_chart({.label = what + " over steps",
                     .y_label = what,
                     .x = whole_axis(steps.front().step, steps.back().step, Ends::exact),
                     .y = linear_axis(0, high > 0 ? high : 1, Ends::round),
                     .lines = std::move(lines)});
}

std::vector<Line> drop_lines(const std::vector<StepBalance>& steps) {
  std::vector<std::string> reasons;
  for (const auto& one : steps) {
    for (const auto& [reason, share] : one.balance.dropped_by_reason) {
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  std::vector<Line> lines;
  for (const auto& reason : reasons) {
    const auto percent = [reason](const Balance& b) {
      const auto found = b.dropped_by_reason.find(reason);
      return found == b.dropped_by_reason.end() ? 0 : 100 * found->second;
    };
    lines.push_back(line_of(steps, reason, fmt::format("c{}", lines.size() % 10), percent));
  }
  return lines;
}

std::vector<Line> norm_lines(const std::vector<StepBalance>& steps) {
  const auto experts = std::min(steps.front().balance.expert_grad_norm.size(), most_experts);
  std::vector<Line> lines;
  for (std::size_t e = 0; e < experts; ++e) {
    const auto norm = [e](const Balance& b) {
      return e < b.expert_grad_norm.size() ? b.expert_grad_norm[e] : std::nan("");
    };
    lines.push_back(line_of(steps, fmt::format("expert {}", e), fmt::format("c{}", e), norm));
  }
  return lines;
}

}  // namespace

std::string balance_section(const Trace& trace, const std::string& mode, std::size_t layer) {
  std::vector<StepBalance> steps;
  for (const auto* step : steps_of(trace, mode)) {
    steps.push_back({static_cast<double>(step->step), balance_of(*step, layer)});
  }
  if (steps.empty()) return section("Balance", paragraph("No step was recorded."));
  const auto experts = static_cast<double>(steps.front().balance.tokens_per_expert.size());
  const double highest_entropy = experts > 1 ? std::log(experts) : 0;
  auto body = paragraph(fmt::format(
      "How evenly {} used its experts. The largest over the mean load is 1 at balance; the router's entropy is {:.2f} "
      "nats when it does not choose and 0 when it is sure. Norms are of each expert's averaged gradient, before "
      "clipping.",
      mode, highest_entropy));
  body += chart(steps, "largest load over the mean",
                {line_of(steps, "max / mean", "c4", [](const Balance& b) { return b.max_over_mean; })}, 0);
  body += chart(steps, "std of tokens per expert",
                {line_of(steps, "std", "c3", [](const Balance& b) { return b.std; })}, 0);
  body += chart(steps, "entropy of the router, nats",
                {line_of(steps, "entropy", "c7", [](const Balance& b) { return b.entropy; })}, highest_entropy);
  if (auto drops = drop_lines(steps); !drops.empty()) {
    body += chart(steps, "dropped, % of all pairs, by reason", std::move(drops), 0);
  }
  body += chart(steps, "gradient norm of an expert", norm_lines(steps), 0);
  return section("Balance" + of_layer(trace.steps.front(), layer), body);
}

}  // namespace duet::trace
