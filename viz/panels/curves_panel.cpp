#include <imgui.h>

#include <array>

#include "viz/panels/canvas.h"
#include "viz/panels/draw_shapes.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

void one_curve(const Frame& frame, Metric metric, Commands& commands) {
  const Canvas canvas("curve", 2);  // words of three modes may need two lines
  auto shapes = lay_out_curve(frame.curves, metric, canvas.rect(), canvas.line());
  const auto pointer = ImGui::GetIO().MousePos;
  const auto point = canvas.inside()
                         ? nearest_point(frame.curves, metric, canvas.rect(), canvas.line(), {pointer.x, pointer.y})
                         : CurvePoint{};
  if (point.summary != nullptr) {
    const float size = canvas.line() * 0.6F;
    shapes.push_back({.form = Form::outline,
                      .box = {point.at.x - size / 2, point.at.y - size / 2, size, size},
                      .colour = {Ink::text},
                      .size = 2});
  }
  canvas.draw(shapes, frame.dark);
  canvas.say(tell_curve(frame.curves, metric, point.summary != nullptr ? point.summary->step : frame.step));
  if (canvas.clicked() && point.summary != nullptr) commands.push_back(GoToStepNumbered{point.summary->step});
}

}  // namespace

void curves_panel(const Frame& frame, Commands& commands) {
  constexpr std::array metrics{Metric::loss,    Metric::aux,       Metric::std,
                               Metric::dropped, Metric::grad_norm, Metric::step_time};
  const auto legend = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  ImGui::Dummy({ImGui::GetContentRegionAvail().x, 1.4F * line});
  draw_shapes(*ImGui::GetWindowDrawList(),
              lay_out_legend(frame.curves.modes, {legend.x, legend.y, 0, 1.4F * line}, line), frame.dark);
  const auto room = ImGui::GetContentRegionAvail();
  const std::size_t columns = room.x > 1.3F * room.y ? 3 : 2;
  const auto rows = metrics.size() / columns;
  const ImVec2 size{room.x / static_cast<float>(columns) - ImGui::GetStyle().ItemSpacing.x,
                    room.y / static_cast<float>(rows) - ImGui::GetStyle().ItemSpacing.y};
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i % columns != 0) ImGui::SameLine();
    ImGui::BeginChild(name(metrics[i]), size, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    one_curve(frame, metrics[i], commands);
    ImGui::EndChild();
  }
}

}  // namespace duet::viz
