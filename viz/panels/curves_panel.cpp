#include <imgui.h>

#include <array>

#include "viz/panels/canvas.h"
#include "viz/panels/panels.h"

namespace duet::viz {

void curves_panel(const Frame& frame, Commands& commands) {
  constexpr std::array metrics{Metric::loss, Metric::std, Metric::dropped, Metric::step_time};
  const auto room = ImGui::GetContentRegionAvail();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i % 2 == 1) ImGui::SameLine();
    ImGui::BeginChild(name(metrics[i]), {room.x * 0.49F, room.y * 0.49F});
    const Canvas canvas("curve");
    canvas.draw(lay_out_curve(frame.curves, metrics[i], canvas.rect(), canvas.line()), frame.dark);
    const auto x = canvas.rect().x + canvas.pointer_share() * canvas.rect().width;
    const auto step = step_at(frame.curves, canvas.rect(), canvas.line(), x);
    canvas.say(tell_curve(frame.curves, metrics[i], canvas.inside() ? step : frame.step));
    if (canvas.clicked() && step >= 0) commands.push_back(GoToStepNumbered{step});
    ImGui::EndChild();
  }
}

void load_panel(const Frame& frame, Commands& commands) {
  const Canvas canvas("load");
  const auto shapes = lay_out_load(frame.curves, static_cast<int>(frame.shown), canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  const auto hit = canvas.hovered(shapes);
  canvas.say(hit.thing == Thing::cell ? tell_load(frame.curves, static_cast<int>(frame.shown), hit) : "");
  if (canvas.clicked() && hit.thing == Thing::cell) commands.push_back(GoToStepNumbered{hit.a});
}

}  // namespace duet::viz
