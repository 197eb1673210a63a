#pragma once
/// Which tokens went where: source ranks on the left, experts on their ranks on the right, ribbons between.
#include "viz/model/flows.h"
#include "viz/model/shapes.h"

namespace duet::viz {

/// What the routing picture needs beside a step.
struct RoutingView {
  std::size_t layer = 0;
  Hit pinned;  ///< its ribbon stands out, the others fade
};

/// The shapes of one layer of one step inside `rect`; `line` is the height of a line of text there.
///
/// Heights are proportional to (token, choice) pairs before dropping. A ribbon is what one rank sends to one expert;
/// the pairs of it that were dropped stop half way, at a cross.
Shapes lay_out_routing(const trace::StepRecord& step, const RoutingView& view, Rect rect, float line);

/// What the pointer is on, in words: "rank 0 sends 31 of 64 pairs to expert 1 on rank 1; 3 of them dropped: ...".
std::string tell_routing(const trace::StepRecord& step, std::size_t layer, Hit hit);

}  // namespace duet::viz
