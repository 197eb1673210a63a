#pragma once
/// The axis of a chart: a range, its round numbers, and where a value lies on it.
#include <string>
#include <vector>

namespace duet::trace {

struct Axis {
  double from = 0;
  double to = 1;
  bool logarithmic = false;
  std::vector<double> ticks;  ///< round numbers within the range

  /// 0 at `from`, 1 at `to`; beyond them for values outside.
  double place(double value) const;
};

enum class Ends { exact, round };

/// @param ends round: the range is widened to the next ticks
/// Values that are not finite give the range 0 to 1.
Axis linear_axis(double low, double high, Ends ends);

/// For counts of things: no tick between two whole numbers.
Axis whole_axis(double low, double high, Ends ends);

/// @param low, high above 0
Axis logarithmic_axis(double low, double high);

/// A tick's number, as short as it can be.
std::string tick_label(double value);

}  // namespace duet::trace
