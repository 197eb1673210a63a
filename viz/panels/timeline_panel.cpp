#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viz/model/waterfall.h"
#include "viz/panels/beside.h"
#include "viz/panels/canvas.h"
#include "viz/panels/draw_shapes.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

bool ends_with(const std::string& mode, const char* name) {
  return mode == name || mode.ends_with(std::string(" ") + name);  // "a ep" where there are two traces
}

// The modes that the waterfall joins: those that were chosen, or else two traces' ep, or else dp and ep.
struct Ends {
  std::size_t from = 0, to = 0;
  bool there = false;
};

Ends ends_of(const Frame& frame) {
  const auto has = [&](std::size_t mode) { return mode < frame.modes.size() && frame.modes[mode].step != nullptr; };
  if (frame.waterfall_from && frame.waterfall_to && has(*frame.waterfall_from) && has(*frame.waterfall_to)) {
    return {*frame.waterfall_from, *frame.waterfall_to, true};
  }
  std::vector<std::size_t> ep, dp, all;
  for (std::size_t mode = 0; mode < frame.modes.size(); ++mode) {
    if (!has(mode)) continue;
    all.push_back(mode);
    if (ends_with(frame.modes[mode].mode, "ep")) ep.push_back(mode);
    if (ends_with(frame.modes[mode].mode, "dp")) dp.push_back(mode);
  }
  if (ep.size() > 1) return {ep[0], ep[1], true};
  if (!ep.empty() && !dp.empty()) return {dp[0], ep[0], true};
  if (all.size() > 1) return {all[1], all[0], true};
  return {};
}

bool choose_mode(const char* label, const Frame& frame, std::size_t& mode) {
  bool changed = false;
  ImGui::SetNextItemWidth(6 * ImGui::GetFontSize());
  if (!ImGui::BeginCombo(label, frame.modes[mode].mode.c_str())) return false;
  for (std::size_t one = 0; one < frame.modes.size(); ++one) {
    if (frame.modes[one].step == nullptr || !ImGui::Selectable(frame.modes[one].mode.c_str(), one == mode)) continue;
    changed = one != mode;
    mode = one;
  }
  ImGui::EndCombo();
  return changed;
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

void lanes(const Frame& frame, Commands& commands) {
  const auto at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  float height = 0;
  const auto legend = lay_out_phases({at.x, at.y}, ImGui::GetContentRegionAvail().x, line, height);
  draw_shapes(*ImGui::GetWindowDrawList(), legend, frame.dark);
  ImGui::Dummy({1, height});
  const Canvas canvas("timeline");
  const auto shapes = lay_out_timeline(frame.modes, frame.window, frame.pinned, canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  const auto hit = canvas.hovered(shapes);
  canvas.say(tell_timeline(frame.modes, hit));
  if (canvas.tapped() && hit.thing != Thing::none) commands.push_back(Pin{hit == frame.pinned ? Hit{} : hit});
  if (canvas.wheel() != 0 || canvas.dragged_share() != 0) commands.push_back(SetWindow{moved(frame, canvas)});
}

void waterfall(const Frame& frame, Ends ends, Commands& commands) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("from the step of");
  ImGui::SameLine();
  bool changed = choose_mode("to that of", frame, ends.from);
  beside(field_width("on the slowest rank", 6));
  changed |= choose_mode("on the slowest rank", frame, ends.to);
  if (changed) commands.push_back(SetWaterfall{ends.from, ends.to});
  const Canvas below("waterfall");
  below.draw(lay_out_waterfall(frame.modes[ends.from], frame.modes[ends.to], below.rect(), below.line()), frame.dark);
}

}  // namespace

void timeline_panel(const Frame& frame, Commands& commands) {
  const auto room = ImGui::GetContentRegionAvail();
  const auto ends = ends_of(frame);
  ImGui::BeginChild("lanes", {0, ends.there ? room.y * 0.6F : 0});
  lanes(frame, commands);
  ImGui::EndChild();
  if (!ends.there) return;
  ImGui::BeginChild("waterfall");
  waterfall(frame, ends, commands);
  ImGui::EndChild();
}

}  // namespace duet::viz
