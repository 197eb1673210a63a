#pragma once
/// Expert by step: the darker, the more of the step's pairs chose it; a red foot as high as the share it dropped.
#include <string>

#include "viz/model/curves_layout.h"

namespace duet::viz {

/// @param mode index into curves.modes @param pinned an expert's row is framed
Shapes lay_out_load(const Curves& curves, int mode, Hit pinned, Rect rect, float line);

/// "step 39, expert 1: 68 pairs, 3 of them dropped; capacity 70", for a cell: a the step, b the expert.
std::string tell_load(const Curves& curves, int mode, Hit hit);

}  // namespace duet::viz
