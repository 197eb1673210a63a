#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>

#include "viz/panels/beside.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

// A list to choose from; a value that is not in it (the flags may say any) stands above the others.
template <std::size_t N>
bool choose(const char* label, std::string& value, const std::array<const char*, N>& values, float width) {
  bool changed = false;
  beside(field_width(label, width));
  ImGui::SetNextItemWidth(width * ImGui::GetFontSize());
  if (!ImGui::BeginCombo(label, value.c_str())) return false;
  for (const auto* const one : values) {
    if (!ImGui::Selectable(one, value == one)) continue;
    changed = value != one;
    value = one;
  }
  ImGui::EndCombo();
  return changed;
}

// A number on a logarithmic slider, taken when the person lets go, so that a drag is one change.
bool slide(const char* label, double& value, double least, double most, const char* format) {
  ImGui::SetNextItemWidth(8 * ImGui::GetFontSize());
  auto shown = static_cast<float>(value);
  const bool moved = ImGui::SliderFloat(label, &shown, static_cast<float>(least), static_cast<float>(most), format,
                                        ImGuiSliderFlags_Logarithmic);
  if (moved) value = std::stod(fmt::format("{:.2g}", shown));
  return moved;
}

bool pace_of(LiveSettings& settings) {
  constexpr std::array<const char*, 6> paces{"1", "2", "5", "10", "30", "as fast as it goes"};
  auto pace = settings.steps_per_s <= 0 ? std::string(paces.back()) : fmt::format("{:g}", settings.steps_per_s);
  if (!choose("steps a second", pace, paces, 6)) return false;
  settings.steps_per_s = pace == paces.back() ? 0 : std::stod(pace);
  return true;
}

bool rules_of(LiveSettings& settings) {
  bool changed = false;
  auto tokens = static_cast<double>(settings.tokens);
  if (slide("tokens a shard", tokens, 1, 4096, "%.0f")) {
    settings.tokens = std::max<std::int64_t>(1, std::llround(tokens));
    changed = true;
  }
  changed |= choose("capacity factor", settings.capacity_factor,
                    std::array{"none", "0.5", "0.75", "1.0", "1.25", "1.5", "2.0"}, 4);
  changed |= choose("aux", settings.aux, std::array{"none", "std", "cv", "cv2", "switch", "z"}, 4);
  if (settings.aux != "none") {
    beside(field_width("weight", 8));
    changed |= slide("weight", settings.aux_weight, 1e-5, 1, "%.2g");
  }
  changed |= choose("dataset", settings.dataset, std::array{"two-functions", "random"}, 8);
  beside(field_width("learning rate", 8));
  changed |= slide("learning rate", settings.lr, 1e-5, 1, "%.2g");
  return changed;
}

void say(const std::string& words) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_PlotLinesHovered));  // the palette's red
  ImGui::TextWrapped("%s", words.c_str());
  ImGui::PopStyleColor();
}

}  // namespace

void live_panel(const Frame& frame, Commands& commands) {
  if (!frame.live) return;
  const auto& live = *frame.live;
  auto settings = live.settings;
  bool changed = false;
  if (live.ended) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("the run has ended after %lld steps", static_cast<long long>(live.steps));
  } else {
    if (ImGui::Button(live.paused ? "go on" : "pause", {4 * ImGui::GetFontSize(), 0})) {
      commands.push_back(PauseRun{!live.paused});
    }
    beside(button_width("one step"));
    if (ImGui::Button("one step")) commands.push_back(StepRun{});
  }
  beside(button_width("start anew"));
  if (ImGui::Button("start anew")) commands.push_back(ResetRun{});
  if (!live.ended) changed |= pace_of(settings);
  muted_beside(fmt::format("{} {}", live.ended ? "wrote" : "writes", live.folder).c_str());
  if (!live.ended) changed |= rules_of(settings);
  if (changed) commands.push_back(ChangeRun{settings});
  if (!live.refused.empty()) say("not changed: " + live.refused);
  if (!live.error.empty()) say("the run ended: " + live.error);
}

}  // namespace duet::viz
