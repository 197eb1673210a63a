#include "viz/panels/hatching.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace duet::viz {

namespace {

// A stroke over the whole height, from `x` at the bottom (lean 1) or at the top (lean -1) as far to the right as it is
// high, cut at the ends.
void stroke(ImDrawList& list, const Shape& shape, float x, float reach, int lean, ImU32 colour) {
  const float from = std::max(0.0F, (shape.box.x - x) / reach), to = std::min(1.0F, (shape.box.right() - x) / reach);
  if (to <= from) return;
  constexpr int most = 5;
  std::array<ImVec2, most + 1> points;
  const int pieces = shape.form == Form::box ? 1 : std::clamp(static_cast<int>(reach * (to - from) / 20), 1, most);
  for (int i = 0; i <= pieces; ++i) {
    const float u = from + (to - from) * static_cast<float>(i) / static_cast<float>(pieces);
    const auto [top, bottom] = edges_at(shape, x + u * reach);
    points[static_cast<std::size_t>(i)] = {x + u * reach,
                                           lean > 0 ? bottom + (top - bottom) * u : top + (bottom - top) * u};
  }
  list.AddPolyline(points.data(), pieces + 1, colour, 0, 1.5F);
}

void strokes(ImDrawList& list, const Shape& shape, float pitch, int lean, ImU32 colour) {
  const float height = std::max(shape.box.height, shape.form == Form::box ? 0 : shape.end.height);
  const float reach = std::max(height, 1.0F);
  for (float x = shape.box.x - reach; x < shape.box.right(); x += pitch) stroke(list, shape, x, reach, lean, colour);
}

void dots(ImDrawList& list, const Shape& shape, float pitch, ImU32 colour) {
  constexpr float half = 1.5F;
  bool shifted = false;
  for (float x = shape.box.x + pitch / 2; x < shape.box.right(); x += pitch * 0.75F, shifted = !shifted) {
    const auto [top, bottom] = edges_at(shape, x);
    for (float y = top + pitch * (shifted ? 0.75F : 0.25F); y < bottom - half; y += pitch) {
      list.AddRectFilled({x - half, y - half}, {x + half, y + half}, colour);
    }
  }
}

}  // namespace

Edges edges_at(const Shape& band, float x) {
  if (band.form == Form::box) return {band.box.y, band.box.bottom()};
  const float t = band.box.width <= 0 ? 0 : std::clamp((x - band.box.x) / band.box.width, 0.0F, 1.0F);
  const float s = t * t * (3 - 2 * t);
  const float top = band.box.y + (band.end.y - band.box.y) * s;
  return {top, top + band.box.height + (band.end.height - band.box.height) * s};
}

void hatch(ImDrawList& list, const Shape& shape, ImU32 colour) {
  const bool box = shape.form == Form::box;
  const float least = box ? 4 : 9;
  if (shape.box.height < least && (box || shape.end.height < least)) return;
  const float pitch = box ? 6 : 16;
  switch (shape.pattern) {
    case 1:
      return strokes(list, shape, pitch, 1, colour);
    case 2:
      return strokes(list, shape, pitch, -1, colour);
    case 3:
      return dots(list, shape, box ? pitch : pitch * 0.75F, colour);
    case 4:
      strokes(list, shape, pitch, 1, colour);
      return strokes(list, shape, pitch, -1, colour);
    default:
      return;
  }
}

}  // namespace duet::viz
