#pragma once
/// Where a step's time went: a lane a rank of each mode, all on one clock, and the way from one mode's time to
/// another's.
#include <string>
#include <vector>

#include "trace/record.h"
#include "viz/model/shapes.h"

namespace duet::viz {

/// One mode's record of the step that is looked at.
struct ModeStep {
  std::string mode;  ///< "ep", "dp", "single"
  const trace::StepRecord* step = nullptr;
};

/// The part of the step's time that is in sight, in microseconds from its start.
struct TimeWindow {
  double from_us = 0;
  double to_us = 0;  ///< 0: all of it
};

/// The longest of the steps, in microseconds: what TimeWindow{} shows.
double longest_us(const std::vector<ModeStep>& modes);

/// Lanes of blocks; each lane starts at its own mode's first event, so that the modes stand on one clock. A phase is a
/// box with its name where there is room; waiting in an exchange is hatched, the transfer is solid.
/// What is selected is framed, and lanes of other ranks fade. Where lanes are many, names and words that have no room
/// are left out.
Shapes lay_out_timeline(const std::vector<ModeStep>& modes, TimeWindow window, Hit pinned, Rect rect, float line);

/// Which colour is which phase, in rows of `width`; `Shapes` and the height that they take.
Shapes lay_out_phases(Point at, float width, float line, float& height);

/// "rank 1, dispatch: 12.3 us, of them 4.1 waiting for rank 0", for a hit of the timeline.
std::string tell_timeline(const std::vector<ModeStep>& modes, Hit hit);

}  // namespace duet::viz
