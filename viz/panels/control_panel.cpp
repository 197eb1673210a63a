#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viz/model/frame_words.h"
#include "viz/panels/beside.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

void choose_step(const Frame& frame, Commands& commands) {
  int number = static_cast<int>(frame.step_number);
  const float size = ImGui::GetFontSize();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(fmt::format("step {}", frame.step).c_str());
  ImGui::SameLine(size * 6);
  ImGui::SetNextItemWidth(std::min(size * 24, ImGui::GetContentRegionAvail().x));
  if (ImGui::SliderInt("##step", &number, 0, static_cast<int>(frame.steps) - 1, "")) {
    commands.push_back(GoToStep{static_cast<std::size_t>(number)});
  }
  muted_beside(fmt::format("{} of {}", frame.step_number + 1, frame.steps).c_str());
}

// A step of several layers shows one of them.
void choose_layer(const Frame& frame, Commands& commands) {
  const auto* const step = frame.modes[frame.shown].step;
  const auto layers = step == nullptr || step->ranks.empty() ? 0 : step->ranks.front().layers.size();
  if (layers < 2) return;
  beside(field_width("", 6));
  ImGui::SetNextItemWidth(6 * ImGui::GetFontSize());
  if (!ImGui::BeginCombo("##layer", fmt::format("layer {}", frame.layer).c_str())) return;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (ImGui::Selectable(fmt::format("layer {}", layer).c_str(), layer == frame.layer)) {
      commands.push_back(ShowLayer{layer});
    }
  }
  ImGui::EndCombo();
}

}  // namespace

void control_panel(const Frame& frame, Commands& commands) {
  choose_step(frame, commands);
  for (std::size_t mode = 0; mode < frame.modes.size(); ++mode) {
    const auto& name = frame.modes[mode].mode;
    beside(check_width(name.c_str()));
    if (ImGui::RadioButton(name.c_str(), mode == frame.shown)) commands.push_back(ShowMode{mode});
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", mode_in_words(name));
  }
  choose_layer(frame, commands);
  if (!frame.live) {  // there the run itself is what goes on
    const char* const label = frame.playing ? "pause" : "play";
    beside(button_width(label));
    if (ImGui::Button(label)) commands.push_back(Play{!frame.playing});
  }
  beside(button_width("?"));
  if (ImGui::Button("?")) commands.push_back(ShowHelp{!frame.help});
  bool dark = frame.dark;
  beside(check_width("dark"));
  if (ImGui::Checkbox("dark", &dark)) commands.push_back(SetDark{dark});
  muted_beside((frame.title + (frame.note.empty() ? "" : "; ") + frame.note).c_str());
  if (!frame.caption.empty()) ImGui::TextWrapped("%s", frame.caption.c_str());
}

}  // namespace duet::viz
