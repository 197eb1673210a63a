#include <imgui.h>

#include <algorithm>

#include "viz/model/routing_bands.h"
#include "viz/model/routing_layout.h"
#include "viz/model/token_path.h"
#include "viz/model/what_if_words.h"
#include "viz/panels/canvas.h"
#include "viz/panels/panels.h"
#include "viz/panels/what_if_controls.h"

namespace duet::viz {

namespace {

// The wheel zooms round the pointer, dragging moves, a double click shows all.
void zoom(const Frame& frame, const trace::StepRecord& step, const Canvas& canvas, Commands& commands) {
  if (canvas.double_clicked() && !frame.routing_zoom.all()) return commands.push_back(SetRoutingZoom{});
  const auto body = routing_body(canvas.rect(), canvas.line());
  const float dragged = frame.routing_zoom.all() ? 0 : canvas.dragged_down(body);
  if (canvas.wheel() == 0 && dragged == 0) return;
  const auto pairs = static_cast<double>(total_of(flows_of(step, frame.layer)).pairs);
  const double closest =
      std::min(static_cast<double>(body.height / (2 * canvas.line())), pairs / 4);  // small steps too
  commands.push_back(
      SetRoutingZoom{zoomed(frame.routing_zoom, canvas.pointer_down(body), canvas.wheel(), -dragged, pairs, closest)});
}

void token_tip(const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  ImGui::BeginTooltip();
  const float size = ImGui::GetFontSize();
  ImGui::PushTextWrapPos(std::min(size * 30, ImGui::GetIO().DisplaySize.x - 4 * size));
  for (const auto& one : lines) ImGui::TextUnformatted(one.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// What the pointer is on, or else what is selected, or else what could be done.
std::string below(const Frame& frame, const trace::StepRecord& step, Hit hit) {
  const auto selected = settled(frame.pinned, flows_of(step, frame.layer));
  auto words = tell_routing(step, frame.layer, hit.thing == Thing::none ? selected : hit);
  if (!words.empty()) return words;
  if (!frame.routing_zoom.all()) return tokens_missing(frame);
  return "the wheel zooms in, to single tokens; a click selects";
}

}  // namespace

void routing_panel(const Frame& frame, Commands& commands) {
  const auto* const step = drawn_step(frame);
  if (step == nullptr) {
    ImGui::TextDisabled("%s has no step %lld", frame.modes[frame.shown].mode.c_str(),
                        static_cast<long long>(frame.step));
    return;
  }
  what_if_controls(frame, commands);
  const bool narrow = ImGui::GetContentRegionAvail().x < ImGui::GetFontSize() * 40;
  const Canvas canvas("routing", narrow ? 2 : 1);
  const auto* const tokens = drawn_tokens(frame);
  const auto shapes = lay_out_routing(*step,
                                      {.layer = frame.layer,
                                       .pinned = frame.pinned,
                                       .zoom = frame.routing_zoom,
                                       .tokens = tokens,
                                       .ghost = step == frame.recomputed ? frame.modes[frame.shown].step : nullptr},
                                      canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  const auto hit = canvas.hovered(shapes);
  if (canvas.tapped()) commands.push_back(Pin{hit == frame.pinned ? Hit{} : hit});
  zoom(frame, *step, canvas, commands);
  if (!frame.routing_zoom.all() || frame.pinned.thing == Thing::token) commands.push_back(NeedTokens{});
  if (hit.thing == Thing::token && tokens != nullptr) token_tip(tell_token(*tokens, frame.layer, hit.a, hit.b));
  canvas.say(below(frame, *step, hit));
}

}  // namespace duet::viz
