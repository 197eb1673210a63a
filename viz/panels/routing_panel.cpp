#include <imgui.h>

#include "viz/model/routing_layout.h"
#include "viz/panels/canvas.h"
#include "viz/panels/panels.h"

namespace duet::viz {

void routing_panel(const Frame& frame, Commands& commands) {
  const auto& mode = frame.modes[frame.shown];
  if (mode.step == nullptr) {
    ImGui::TextDisabled("%s has no step %lld", mode.mode.c_str(), static_cast<long long>(frame.step));
    return;
  }
  const Canvas canvas("routing");
  const auto shapes = lay_out_routing(*mode.step, {frame.layer, frame.pinned}, canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  const auto hit = canvas.hovered(shapes);
  if (canvas.clicked()) commands.push_back(Pin{hit == frame.pinned ? Hit{} : hit});
  const auto words = tell_routing(*mode.step, frame.layer, hit.thing == Thing::none ? frame.pinned : hit);
  canvas.say(words);
}

}  // namespace duet::viz
