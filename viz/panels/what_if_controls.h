#pragma once
/// A rule of capacity to try on the step in sight.
#include "viz/model/frame.h"

namespace duet::viz {

/// A row, or two where it is narrow, of controls; and below what the rule changes.
void what_if_controls(const Frame& frame, Commands& commands);

}  // namespace duet::viz
