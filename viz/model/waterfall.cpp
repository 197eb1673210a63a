#include "viz/model/waterfall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trace/breakdown.h"

namespace duet::viz {

using trace::StepRecord;

std::vector<Difference> differences(const StepRecord& from, const StepRecord& to) {
  const auto keys = trace::phase_order();
  const auto before = trace::divide(from), after = trace::divide(to);
  std::vector<Difference> all;
  Difference waiting{"waiting", 0}, transfer{"transfer", 0};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    all.push_back({trace::label(keys[i]), after[i].work_us - before[i].work_us});
    waiting.us += after[i].wait_us - before[i].wait_us;
    transfer.us += after[i].transfer_us - before[i].transfer_us;
  }
  all.push_back(waiting);
  all.push_back(transfer);
  std::erase_if(all, [](const Difference& d) { return d.us == 0; });
  std::stable_sort(all.begin(), all.end(),
                   [](const Difference& a, const Difference& b) { return std::abs(a.us) > std::abs(b.us); });
  return all;
}

Shapes lay_out_waterfall(const ModeStep& from, const ModeStep& to, Rect rect, float line) {
  Shapes shapes;
  const double start = static_cast<double>(from.step->step_ns) / 1e3, end = static_cast<double>(to.step->step_ns) / 1e3;
  const auto parts = differences(*from.step, *to.step);
  double low = 0, high = std::max(start, end), at = start;
  for (const auto& part : parts) {
    at += part.us;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const float labels = 11 * line, numbers = 6 * line;
  const Rect plot{rect.x + labels, rect.y, rect.width - labels - numbers, rect.height};
  const auto x_of = [&](double us) { return plot.x + plot.width * static_cast<float>((us - low) / (high - low)); };
  const float pitch = std::min(1.4F * line, rect.height / static_cast<float>(parts.size() + 2));
  float y = rect.y;
  const auto row = [&](const std::string& name, double a, double b, Colour colour, const std::string& number) {
    const float left = x_of(std::min(a, b)), right = std::max(left + 1, x_of(std::max(a, b)));
    const auto align = Align::right;
    shapes.push_back({.form = Form::text,
                      .box = {plot.x - 0.5F * line, y, 0, line},
                      .colour = {Ink::text},
                      .text = name,
                      .size = std::min(1.0F, pitch / line),
                      .align = align});
    shapes.push_back({.box = {left, y, right - left, pitch * 0.75F}, .colour = colour});
    shapes.push_back({.form = Form::text,
                      .box = {plot.right() + 0.5F * line, y, 0, line},
                      .colour = {Ink::muted},
                      .text = number,
                      .size = std::min(1.0F, pitch / line)});
    y += pitch;
  };
  row(from.mode + " step", 0, start, {Ink::muted}, fmt::format("{:.1f} us", start));
  at = start;
  for (const auto& part : parts) {
    row(part.part, at, at + part.us, {part.us > 0 ? Ink::dropped : Ink::good}, fmt::format("{:+.1f} us", part.us));
    at += part.us;
  }
  row(to.mode + " step", 0, at, {Ink::muted}, fmt::format("{:.1f} us", at));
  return shapes;
}

}  // namespace duet::viz
