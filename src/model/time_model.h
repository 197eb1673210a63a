#pragma once
/// When is expert parallelism worth its messages? Time as a line in what is moved: alpha (latency) + beta * amount.
#include <optional>
#include <span>

namespace duet {

/// One measurement: `amount` (bytes, tokens, ...) took `us` microseconds.
struct Measurement {
  double amount = 0;
  double us = 0;
};

/// us = alpha_us + beta_us * amount, and the range of amounts that it was fitted on.
struct TimeLine {
  double alpha_us = 0;  ///< what even nothing costs: latency, overhead
  double beta_us = 0;   ///< microseconds for one more
  double smallest = 0;
  double largest = 0;
};

/// A predicted time, and whether it was asked outside the fitted range.
struct Prediction {
  double us = 0;
  bool extrapolated = false;
};

/// Fits a line by least squares of the relative error, so that small amounts count as much as large ones.
/// (The alpha-beta model; Hockney, "The communication challenge for MPP".)
/// @throws InputError with fewer than two different amounts, or an amount or time that is not positive
TimeLine fit_time_line(std::span<const Measurement> measurements);

Prediction predict(const TimeLine& line, double amount);

/// The amount at which both take equally long, if it lies in the range that both were fitted on.
std::optional<double> crossing(const TimeLine& a, const TimeLine& b);

}  // namespace duet
