#include "model/time_model.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace duet {

TimeLine fit_time_line(std::span<const Measurement> measurements) {
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;  // weighted sums; the weight 1/us^2 makes errors relative
  TimeLine line{.alpha_us = 0, .beta_us = 0, .smallest = INFINITY, .largest = 0};
  for (const auto& [amount, us] : measurements) {
    if (!(amount > 0) || !(us > 0)) throw InputError("a time line needs positive amounts and times");
    const double weight = 1 / (us * us);
    w += weight;
    wx += weight * amount;
    wxx += weight * amount * amount;
    wy += weight * us;
    wxy += weight * amount * us;
    line.smallest = std::min(line.smallest, amount);
    line.largest = std::max(line.largest, amount);
  }
  if (!(line.smallest < line.largest)) {
    throw InputError({.what = "a line cannot be fitted to a single amount",
                      .where = "fit_time_line",
                      .usually = "the sweep has one value only",
                      .fix = "measure at two or more different amounts"});
  }
  line.beta_us = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  line.alpha_us = (wy - line.beta_us * wx) / w;
  return line;
}

Prediction predict(const TimeLine& line, double amount) {
  return {.us = line.alpha_us + line.beta_us * amount, .extrapolated = amount < line.smallest || amount > line.largest};
}

std::optional<double> crossing(const TimeLine& a, const TimeLine& b) {
  const double amount = (b.alpha_us - a.alpha_us) / (a.beta_us - b.beta_us);
  const bool in_range = amount >= std::max(a.smallest, b.smallest) && amount <= std::min(a.largest, b.largest);
  if (!in_range) return std::nullopt;  // parallel lines give an infinite amount or a NaN, which no range holds
  return amount;
}

}  // namespace duet
