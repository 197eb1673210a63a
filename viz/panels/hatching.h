#pragma once
/// Patterns over boxes and bands: the experts' second cue beside their colours.
#include <imgui.h>

#include "viz/model/shapes.h"

namespace duet::viz {

/// Where a band's edges are at a place: it bends like 3t^2 - 2t^3 from its left to its right end.
struct Edges {
  float top = 0;
  float bottom = 0;
};
Edges edges_at(const Shape& band, float x);

/// Draws `shape.pattern` over a box or a band where there is room to tell one from another.
void hatch(ImDrawList& list, const Shape& shape, ImU32 colour);

}  // namespace duet::viz
