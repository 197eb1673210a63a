#include "viz/panels/draw_shapes.h"

#include "viz/panels/palette.h"

namespace duet::viz {

namespace {

ImVec2 top_left(const Rect& r) { return {r.x, r.y}; }
ImVec2 bottom_right(const Rect& r) { return {r.right(), r.bottom()}; }

void band(ImDrawList& list, const Shape& shape, ImU32 colour) {
  constexpr int pieces = 24;
  ImVec2 top_before, bottom_before;
  for (int i = 0; i <= pieces; ++i) {
    const float t = static_cast<float>(i) / pieces, s = t * t * (3 - 2 * t);
    const float x = shape.box.x + shape.box.width * t;
    const float y = shape.box.y + (shape.end.y - shape.box.y) * s;
    const float height = shape.box.height + (shape.end.height - shape.box.height) * s;
    const ImVec2 top(x, y), bottom(x, y + (height < 1 ? 1 : height));
    if (i > 0) list.AddQuadFilled(top_before, top, bottom, bottom_before, colour);
    top_before = top;
    bottom_before = bottom;
  }
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
    }
  }
}

}  // namespace duet::viz
