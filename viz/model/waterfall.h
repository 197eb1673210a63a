#pragma once
/// The way from one mode's step time to another's, part by part.
#include "viz/model/timeline_layout.h"

namespace duet::viz {

/// One bar of the waterfall: what a part of the step adds to the time of `to` over that of `from`.
struct Difference {
  std::string part;
  double us = 0;
};

/// From `from`'s step time to `to`'s, the largest parts first; they add up exactly (to rounding).
std::vector<Difference> differences(const trace::StepRecord& from, const trace::StepRecord& to);

Shapes lay_out_waterfall(const ModeStep& from, const ModeStep& to, Rect rect, float line);

}  // namespace duet::viz
