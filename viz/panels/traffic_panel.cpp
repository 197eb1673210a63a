#include <imgui.h>

#include "viz/model/traffic_layout.h"
#include "viz/panels/canvas.h"
#include "viz/panels/panels.h"

namespace duet::viz {

void traffic_panel(const Frame& frame, Commands& /*commands*/) {
  const auto& mode = frame.modes[frame.shown];
  if (mode.step == nullptr) {
    ImGui::TextDisabled("%s has no step %lld", mode.mode.c_str(), static_cast<long long>(frame.step));
    return;
  }
  const Canvas canvas("traffic");
  canvas.draw(lay_out_traffic(*mode.step, canvas.rect(), canvas.line()), frame.dark);
  canvas.say(mode.mode == "ep" ? "" : "rows change ranks only under expert parallelism: choose ep above");
}

}  // namespace duet::viz
