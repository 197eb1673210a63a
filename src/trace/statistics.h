#pragma once
/// The figures that stand for many measurements.
#include <span>

namespace duet::trace {

/// A measurement's middle, its spread and its best, in the unit of the samples.
struct Spread {
  double median = 0;
  double p10 = 0;
  double p90 = 0;
  double min = 0;
  double mean = 0;
};

/// The q-quantile of sorted samples, 0 <= q <= 1, linear between neighbours (R's type 7); 0 without samples.
double quantile(std::span<const double> sorted, double q);

/// All zeros without samples.
Spread spread_of(std::span<const double> samples);

}  // namespace duet::trace
