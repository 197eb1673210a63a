#pragma once
/// Curves over the steps: one line a mode, as many points as there are pixels, whatever the trace's length.
#include <string>
#include <vector>

#include "viz/model/shapes.h"
#include "viz/model/summary.h"

namespace duet::viz {

enum class Metric { loss, aux, std, dropped, grad_norm, step_time };
const char* name(Metric metric);
double value_of(const StepSummary& summary, Metric metric);

struct Curves {
  const std::vector<StepSummary>* summaries = nullptr;
  std::vector<std::string> modes;
  std::int64_t step = 0;  ///< the one in sight, marked
};

/// The first mode's line is the widest and the last one's the thinnest, above it: lines that are equal are all seen, as
/// stripes. Where several steps share a column of pixels, a line goes from their least to their largest value.
Shapes lay_out_curve(const Curves& curves, Metric metric, Rect rect, float line);

/// Which line is which, in one row.
Shapes lay_out_legend(const std::vector<std::string>& modes, Rect rect, float line);

/// A point of a curve; without a summary none.
struct CurvePoint {
  const StepSummary* summary = nullptr;
  Point at;
};

/// The finite point that is nearest to `pointer` in the same rectangle, by its column first and then by its height.
CurvePoint nearest_point(const Curves& curves, Metric metric, Rect rect, float line, Point pointer);

/// "step 39: ep 0.1095, dp 0.1095, single 0.1095".
std::string tell_curve(const Curves& curves, Metric metric, std::int64_t step);

}  // namespace duet::viz
