#include "trace/axis.h"

#include <fmt/format.h>

#include <cmath>

namespace duet::trace {

namespace {

// The least of 1, 2 and 5 times a power of ten that is not below `step`.
double round_up(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1, 2, 5}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

Axis axis_with_step(double low, double high, double step, Ends ends) {
  Axis axis{.from = low, .to = high, .logarithmic = false, .ticks = {}};
  if (ends == Ends::round) {
    axis.from = std::floor(low / step) * step;
    axis.to = std::ceil(high / step) * step;
  }
  const double first = std::ceil(axis.from / step - 1e-9);
  for (int i = 0; i < 20 && (first + i) * step <= axis.to + step * 1e-9; ++i) axis.ticks.push_back((first + i) * step);
  return axis;
}

Axis axis_with_least_step(double low, double high, double least_step, Ends ends) {
  const bool usable = std::isfinite(low) && std::isfinite(high) && std::isfinite(high - low);
  if (!usable) return {.from = 0, .to = 1, .logarithmic = false, .ticks = {0, 1}};
  if (high <= low) high = low + std::max(std::abs(low) * 0.1, least_step > 0 ? least_step : 1.0);
  return axis_with_step(low, high, std::max(round_up((high - low) / 5), least_step), ends);
}

}  // namespace

double Axis::place(double value) const {
  if (logarithmic) return (std::log10(value) - std::log10(from)) / (std::log10(to) - std::log10(from));
  return (value - from) / (to - from);
}

Axis linear_axis(double low, double high, Ends ends) { return axis_with_least_step(low, high, 0, ends); }

Axis whole_axis(double low, double high, Ends ends) { return axis_with_least_step(low, high, 1, ends); }

Axis logarithmic_axis(double low, double high) {
  const double first = std::floor(std::log10(low));
  const double last = std::max(std::ceil(std::log10(high)), first + 1);
  Axis axis{.from = std::pow(10, first), .to = std::pow(10, last), .logarithmic = true, .ticks = {}};
  const double each = std::ceil((last - first) / 8);  // decades from tick to tick
  for (double power = first; power <= last; power += each) axis.ticks.push_back(std::pow(10, power));
  return axis;
}

std::string tick_label(double value) {
  if (std::abs(value) >= 1e-4 && std::abs(value) < 1e7) return fmt::format("{}", std::round(value * 1e9) / 1e9);
  return value == 0 ? "0" : fmt::format("{:.4g}", value);
}

}  // namespace duet::trace
