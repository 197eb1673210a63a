#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viz/model/waterfall.h"
#include "viz/panels/canvas.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

const ModeStep* find(const Frame& frame, const char* name) {
  for (const auto& mode : frame.modes) {
    if (mode.mode == name && mode.step != nullptr) return &mode;
  }
  return nullptr;
}

// The wheel zooms round the pointer, dragging moves.
TimeWindow moved(const Frame& frame, const Canvas& canvas) {
  const double all = longest_us(frame.modes);
  auto window = frame.window.to_us > frame.window.from_us ? frame.window : TimeWindow{0, all};
  const double span = window.to_us - window.from_us;
  const double pointer = window.from_us + span * std::clamp(canvas.pointer_share(), 0.0F, 1.0F);
  const double factor = std::pow(0.8, canvas.wheel());
  const double shift = -canvas.dragged_share() * span;
  window = {pointer + (window.from_us - pointer) * factor + shift, pointer + (window.to_us - pointer) * factor + shift};
  if (window.to_us - window.from_us > all) return {0, all};
  return window;
}

}  // namespace

void timeline_panel(const Frame& frame, Commands& commands) {
  const auto room = ImGui::GetContentRegionAvail();
  const auto* const dp = find(frame, "dp");
  const auto* const ep = find(frame, "ep");
  const bool both = dp != nullptr && ep != nullptr;
  ImGui::BeginChild("lanes", {0, both ? room.y * 0.58F : 0});
  const Canvas canvas("timeline");
  const auto shapes = lay_out_timeline(frame.modes, frame.window, canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  canvas.say(tell_timeline(frame.modes, canvas.hovered(shapes)));
  if (canvas.wheel() != 0 || canvas.dragged_share() != 0) commands.push_back(SetWindow{moved(frame, canvas)});
  ImGui::EndChild();
  if (!both) return;
  ImGui::BeginChild("waterfall");
  ImGui::TextUnformatted("from data parallelism's step to expert parallelism's, on the slowest rank");
  const Canvas below("waterfall");
  below.draw(lay_out_waterfall(*dp, *ep, below.rect(), below.line()), frame.dark);
  ImGui::EndChild();
}

}  // namespace duet::viz
