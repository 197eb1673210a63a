#pragma once
/// The font of all panels.
#include "viz/platform/raster.h"

namespace duet::viz {

/// Loads DejaVu Sans of `size` pixels into the current ImGui context (its own bitmap font where there is none), and
/// returns the atlas.
Image load_font(float size);

}  // namespace duet::viz
