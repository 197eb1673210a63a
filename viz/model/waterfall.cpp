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

namespace {

// So many rows that each can be read; the smallest parts become one.
void fold(std::vector<Difference>& parts, std::size_t most) {
  if (parts.size() <= most) return;
  Difference rest{fmt::format("{} smaller parts", parts.size() - most + 1), 0};
  for (auto i = most - 1; i < parts.size(); ++i) rest.us += parts[i].us;
  parts.resize(most - 1);
  parts.push_back(rest);
}

std::string signed_us(double us) { return std::abs(us) < 0.05 ? "0.0 us" : fmt::format("{:+.1f} us", us); }

}  // namespace

Shapes lay_out_waterfall(const ModeStep& from, const ModeStep& to, Rect rect, float line) {
  Shapes shapes;
  const double start = static_cast<double>(from.step->step_ns) / 1e3, end = static_cast<double>(to.step->step_ns) / 1e3;
  auto parts = differences(*from.step, *to.step);
  fold(parts, static_cast<std::size_t>(std::max(4.0F, rect.height / (0.7F * line))) - 2);
  double low = 0, high = std::max(start, end), at = start;
  for (const auto& part : parts) {
    at += part.us;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const float labels = 11 * line, numbers = 7.2F * line;
  const Rect plot{rect.x + labels, rect.y, rect.width - labels - numbers, rect.height};
  const auto x_of = [&](double us) { return plot.x + plot.width * static_cast<float>((us - low) / (high - low)); };
  const float pitch = std::min(1.4F * line, rect.height / static_cast<float>(parts.size() + 2));
  float y = rect.y;
  const auto row = [&](const std::string& name, double a, double b, Colour colour, const std::string& number) {
    const float left = x_of(std::min(a, b)), right = std::max(left + 1, x_of(std::max(a, b)));
    const float size = std::min(1.0F, pitch / line), text = y + (0.75F * pitch - size * line) / 2;
    shapes.push_back({.form = Form::text,
                      .box = {plot.x - 0.5F * line, text, 0, line},
                      .colour = {Ink::text},
                      .text = name,
                      .size = size,
                      .align = Align::right});
    shapes.push_back({.box = {left, y, right - left, pitch * 0.75F}, .colour = colour});
    shapes.push_back({.form = Form::text,
                      .box = {plot.right() + 0.5F * line, text, 0, line},
                      .colour = {Ink::muted},
                      .text = number,
                      .size = size});
    y += pitch;
  };
  row(from.mode + " step", 0, start, {Ink::muted}, fmt::format("{:.1f} us", start));
  at = start;
  for (const auto& part : parts) {
    row(part.part, at, at + part.us, {part.us > 0 ? Ink::dropped : Ink::good}, signed_us(part.us));
    at += part.us;
  }
  row(to.mode + " step", 0, at, {Ink::muted}, fmt::format("{:.1f} us", at));
  return shapes;
}

}  // namespace duet::viz
