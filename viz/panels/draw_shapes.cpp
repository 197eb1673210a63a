#include "viz/panels/draw_shapes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "viz/panels/hatching.h"
#include "viz/panels/palette.h"

namespace duet::viz {

namespace {

ImVec2 top_left(const Rect& r) { return {r.x, r.y}; }
ImVec2 bottom_right(const Rect& r) { return {r.right(), r.bottom()}; }

// The more a band bends, the more pieces; thousands of thin ones stay cheap.
int pieces_of(const Shape& shape) {
  const float bend = std::abs(shape.end.y - shape.box.y) + std::abs(shape.end.height - shape.box.height);
  return std::clamp(static_cast<int>(bend / 4), 2, 24);
}

void band(ImDrawList& list, const Shape& shape, ImU32 colour) {
  const int pieces = pieces_of(shape);
  const auto white = ImGui::GetFontTexUvWhitePixel();
  list.PrimReserve(pieces * 6, (pieces + 1) * 2);
  for (int i = 0; i <= pieces; ++i) {
    const float x = shape.box.x + shape.box.width * static_cast<float>(i) / static_cast<float>(pieces);
    const auto [top, bottom] = edges_at(shape, x);
    if (i < pieces) {
      const auto first = list._VtxCurrentIdx;
      for (const unsigned int corner : {0U, 1U, 2U, 2U, 1U, 3U}) {
        list.PrimWriteIdx(static_cast<ImDrawIdx>(first + corner));
      }
    }
    list.PrimWriteVtx({x, top}, white, colour);
    list.PrimWriteVtx({x, std::max(bottom, top + 1)}, white, colour);
  }
}

void edge(ImDrawList& list, const Shape& shape, ImU32 colour) {
  const int pieces = pieces_of(shape);
  std::vector<ImVec2> points;
  for (int i = 0; i <= pieces; ++i) {
    const float x = shape.box.x + shape.box.width * static_cast<float>(i) / static_cast<float>(pieces);
    points.emplace_back(x, edges_at(shape, x).top);
  }
  for (int i = pieces; i >= 0; --i) {
    const float x = shape.box.x + shape.box.width * static_cast<float>(i) / static_cast<float>(pieces);
    points.emplace_back(x, edges_at(shape, x).bottom);
  }
  list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, ImDrawFlags_Closed, shape.size);
}

// Light over the shape's colour, in both themes.
void pattern(ImDrawList& list, const Shape& shape, bool dark) {
  if (shape.pattern == 0) return;
  const float alpha = shape.form == Form::box ? 0.65F : 0.5F * shape.colour.alpha;
  hatch(list, shape, value_of({dark ? Ink::text : Ink::paper, 0, alpha}, dark));
}

void hatching(ImDrawList& list, const Rect& box, ImU32 colour) {
  constexpr float pitch = 6;
  list.PushClipRect(top_left(box), bottom_right(box), true);
  for (float x = box.x - box.height; x < box.right(); x += pitch) {
    list.AddLine({x, box.bottom()}, {x + box.height, box.y}, colour, 1.5F);
  }
  list.PopClipRect();
}

void text(ImDrawList& list, const Shape& shape, ImU32 colour) {
  const float size = ImGui::GetFontSize() * shape.size;
  const float width = ImGui::GetFont()->CalcTextSizeA(size, 1e6F, 0, shape.text.c_str()).x;
  const float shift = shape.align == Align::left ? 0 : shape.align == Align::middle ? width / 2 : width;
  list.AddText(ImGui::GetFont(), size, {shape.box.x - shift, shape.box.y}, colour, shape.text.c_str());
}

void cross(ImDrawList& list, const Shape& shape, ImU32 colour) {
  const auto& b = shape.box;
  list.AddLine(top_left(b), bottom_right(b), colour, shape.size);
  list.AddLine({b.x, b.bottom()}, {b.right(), b.y}, colour, shape.size);
}

}  // namespace

void draw_shapes(ImDrawList& list, const Shapes& shapes, bool dark) {
  const auto flags = list.Flags;
  for (const auto& shape : shapes) {
    const auto colour = value_of(shape.colour, dark);
    switch (shape.form) {
      case Form::box:
        list.AddRectFilled(top_left(shape.box), bottom_right(shape.box), colour);
        pattern(list, shape, dark);
        break;
      case Form::outline:
        list.AddRect(top_left(shape.box), bottom_right(shape.box), colour, 0, 0, shape.size);
        break;
      case Form::hatched:
        hatching(list, shape.box, colour);
        break;
      case Form::band:
        list.Flags = flags & ~ImDrawListFlags_AntiAliasedFill;  // smooth edges between the pieces would show as stripes
        band(list, shape, colour);
        list.Flags = flags;
        pattern(list, shape, dark);
        break;
      case Form::line:
        list.AddLine(top_left(shape.box), bottom_right(shape.box), colour, shape.size);
        break;
      case Form::text:
        text(list, shape, colour);
        break;
      case Form::cross:
        cross(list, shape, colour);
        break;
      case Form::edge:
        edge(list, shape, colour);
        break;
    }
  }
}

}  // namespace duet::viz
