#include "viz/panels/canvas.h"

#include <imgui.h>

#include <algorithm>

#include "viz/panels/draw_shapes.h"

namespace duet::viz {

Canvas::Canvas(const char* name) : line_(ImGui::GetTextLineHeight()) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto room = ImGui::GetContentRegionAvail();
  rect_ = {at.x, at.y, std::max(10.0F, room.x), std::max(10.0F, room.y - 1.5F * line_)};
  ImGui::InvisibleButton(name, {rect_.width, rect_.height});
  inside_ = ImGui::IsItemHovered();
  held_ = ImGui::IsItemActive();
  clicked_ = ImGui::IsItemClicked();
}

void Canvas::draw(const Shapes& shapes, bool dark) const {
  auto& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({rect_.x, rect_.y}, {rect_.right(), rect_.bottom()}, true);
  draw_shapes(list, shapes, dark);
  list.PopClipRect();
}

Hit Canvas::hovered(const Shapes& shapes) const {
  const auto pointer = ImGui::GetIO().MousePos;
  return inside_ ? hit_at(shapes, {pointer.x, pointer.y}) : Hit{};
}

float Canvas::pointer_share() const { return (ImGui::GetIO().MousePos.x - rect_.x) / rect_.width; }
float Canvas::wheel() const { return inside_ ? ImGui::GetIO().MouseWheel : 0; }
float Canvas::dragged_share() const { return held_ ? ImGui::GetIO().MouseDelta.x / rect_.width : 0; }

void Canvas::say(const std::string& words) const { ImGui::TextUnformatted(words.c_str()); }

}  // namespace duet::viz
