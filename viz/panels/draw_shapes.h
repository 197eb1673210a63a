#pragma once
/// Shapes as ImGui's triangles.
#include <imgui.h>

#include "viz/model/shapes.h"

namespace duet::viz {

void draw_shapes(ImDrawList& list, const Shapes& shapes, bool dark);

}  // namespace duet::viz
