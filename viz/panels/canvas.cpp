#include "viz/panels/canvas.h"

#include <imgui.h>

#include <algorithm>

#include "viz/panels/draw_shapes.h"

namespace duet::viz {

Canvas::Canvas(const char* name, int lines_below) : line_(ImGui::GetTextLineHeight()) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto room = ImGui::GetContentRegionAvail();
  rect_ = {at.x, at.y, std::max(10.0F, room.x),
           std::max(10.0F, room.y - (static_cast<float>(lines_below) + 0.5F) * line_)};
  ImGui::InvisibleButton(name, {rect_.width, rect_.height});
  inside_ = ImGui::IsItemHovered();
  held_ = ImGui::IsItemActive();
  clicked_ = ImGui::IsItemClicked();
  const auto drag = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);  // none below some pixels: hands tremble
  tapped_ = ImGui::IsItemDeactivated() && inside_ && drag.x == 0 && drag.y == 0;
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

float Canvas::pointer_down(Rect body) const { return (ImGui::GetIO().MousePos.y - body.y) / body.height; }
float Canvas::dragged_down(Rect body) const { return held_ ? ImGui::GetIO().MouseDelta.y / body.height : 0; }
bool Canvas::double_clicked() const { return inside_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left); }

void Canvas::say(const std::string& words) const {
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopTextWrapPos();
}

}  // namespace duet::viz
