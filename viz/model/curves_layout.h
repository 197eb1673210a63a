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

/// Where several steps share a column of pixels, the line goes from their least to their largest value.
Shapes lay_out_curve(const Curves& curves, Metric metric, Rect rect, float line);

/// The step whose column is nearest to `x` in the same rectangle; -1 without steps.
std::int64_t step_at(const Curves& curves, Rect rect, float line, float x);

/// "step 39: ep 0.1095, dp 0.1095, single 0.1095".
std::string tell_curve(const Curves& curves, Metric metric, std::int64_t step);

/// Expert by step: the darker, the more of the step's pairs chose it; a red foot as high as the share it dropped.
Shapes lay_out_load(const Curves& curves, int mode, Rect rect, float line);

/// "step 39, expert 1: 68 pairs, 3 of them dropped; capacity 70".
std::string tell_load(const Curves& curves, int mode, Hit hit);

}  // namespace duet::viz
