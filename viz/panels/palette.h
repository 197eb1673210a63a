#pragma once
/// The colours' values, light and dark; those of experts and phases are the report's.
#include <imgui.h>

#include "viz/model/shapes.h"

namespace duet::viz {

ImU32 value_of(Colour colour, bool dark);

/// ImGui's own style in our colours.
void apply_style(bool dark, float scale);

}  // namespace duet::viz
