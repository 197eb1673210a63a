#include "trace/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace duet::trace {

double quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) return 0;
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Spread spread_of(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {.median = quantile(sorted, 0.5),
          .p10 = quantile(sorted, 0.1),
          .p90 = quantile(sorted, 0.9),
          .min = sorted.front(),
          .mean = sum / static_cast<double>(sorted.size())};
}

}  // namespace duet::trace
