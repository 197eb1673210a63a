#pragma once
/// What the benchmark found, as a table for people and as JSON.
#include <optional>
#include <string>
#include <vector>

namespace duet::bench {

struct Figure {
  std::string what;
  double value = 0;
  std::string unit;
  std::optional<double> limit;  ///< the largest value that is good; none: only told
  bool met() const { return !limit || value <= *limit; }
};

using Figures = std::vector<Figure>;

std::string table(const Figures& figures);
std::string json(const Figures& figures);

}  // namespace duet::bench
