#include <imgui.h>

#include "viz/model/traffic_layout.h"
#include "viz/panels/canvas.h"
#include "viz/panels/panels.h"

namespace duet::viz {

void traffic_panel(const Frame& frame, Commands& commands) {
  const auto& mode = frame.modes[frame.shown];
  if (mode.step == nullptr) {
    ImGui::TextDisabled("%s has no step %lld", mode.mode.c_str(), static_cast<long long>(frame.step));
    return;
  }
  const Canvas canvas("traffic");
  const auto shapes = lay_out_traffic(*mode.step, frame.pinned, canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  const auto hit = canvas.hovered(shapes);
  const bool stays = mode.mode == "dp" || mode.mode == "single" || mode.mode.ends_with(" dp");
  const char* const otherwise = stays ? "rows change ranks only under expert parallelism: choose ep above" : "";
  canvas.say(hit.thing == Thing::cell ? tell_traffic(*mode.step, hit) : otherwise);
  if (!canvas.clicked() || hit.thing != Thing::cell) return;
  const Hit rank{Thing::rank, hit.a, 0};
  commands.push_back(Pin{rank == frame.pinned ? Hit{} : rank});
}

}  // namespace duet::viz
