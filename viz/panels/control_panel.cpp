#include <fmt/format.h>
#include <imgui.h>

#include "viz/panels/panels.h"

namespace duet::viz {

void control_panel(const Frame& frame, Commands& commands) {
  int number = static_cast<int>(frame.step_number);
  ImGui::TextUnformatted(fmt::format("step {}", frame.step).c_str());
  ImGui::SameLine(ImGui::GetFontSize() * 6);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 24);
  if (ImGui::SliderInt("##step", &number, 0, static_cast<int>(frame.steps) - 1, "")) {
    commands.push_back(GoToStep{static_cast<std::size_t>(number)});
  }
  ImGui::SameLine();
  ImGui::TextDisabled("%zu of %zu", frame.step_number + 1, frame.steps);
  for (std::size_t mode = 0; mode < frame.modes.size(); ++mode) {
    ImGui::SameLine();
    if (ImGui::RadioButton(frame.modes[mode].mode.c_str(), mode == frame.shown)) commands.push_back(ShowMode{mode});
  }
  if (!frame.live) {  // there the run itself is what goes on
    ImGui::SameLine();
    if (ImGui::Button(frame.playing ? "pause" : "play")) commands.push_back(Play{!frame.playing});
  }
  ImGui::SameLine();
  if (ImGui::Button("?")) commands.push_back(ShowHelp{!frame.help});
  ImGui::SameLine();
  bool dark = frame.dark;
  if (ImGui::Checkbox("dark", &dark)) commands.push_back(SetDark{dark});
  ImGui::SameLine();
  ImGui::TextDisabled("%s%s%s", frame.title.c_str(), frame.note.empty() ? "" : "; ", frame.note.c_str());
  if (!frame.caption.empty()) ImGui::TextWrapped("%s", frame.caption.c_str());
}

}  // namespace duet::viz
