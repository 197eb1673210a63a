#include "viz/panels/what_if_controls.h"

#include <imgui.h>

#include <array>
#include <cstdio>

#include "viz/model/what_if_words.h"
#include "viz/panels/beside.h"

namespace duet::viz {

namespace {

constexpr std::array<const char*, 7> factors{"none", "0.5", "0.75", "1.0", "1.25", "1.5", "2.0"};
constexpr std::array<const char*, 3> policies{"position", "probability", "random"};

// A list, and a field for any other factor.
void factor(const WhatIf& rule, Commands& commands) {
  const float size = ImGui::GetFontSize();
  beside(9.5F * size);
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("capacity");
  ImGui::SameLine();
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%s", rule.capacity_factor.c_str());
  ImGui::SetNextItemWidth(3.2F * size);
  const auto set = [&](const std::string& to) {
    auto changed = rule;
    changed.capacity_factor = to;
    if (!(changed == rule)) commands.push_back(SetWhatIf{changed});
  };
  if (ImGui::InputText("##factor", text.data(), text.size())) set(text.data());  // key by key: the frame holds the text
  ImGui::SameLine(0, 2);
  if (!ImGui::BeginCombo("##factors", "", ImGuiComboFlags_NoPreview)) return;
  for (const auto* const one : factors) {
    if (ImGui::Selectable(one, rule.capacity_factor == one)) set(one);
  }
  ImGui::EndCombo();
}

void policy(const WhatIf& rule, Commands& commands) {
  const float size = ImGui::GetFontSize();
  beside(10.5F * size);
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("drop by");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(7 * size);
  if (!ImGui::BeginCombo("##drop", rule.drop.c_str())) return;
  for (const auto* const one : policies) {
    if (!ImGui::Selectable(one, rule.drop == one)) continue;
    auto changed = rule;
    changed.drop = one;
    commands.push_back(SetWhatIf{changed});
  }
  ImGui::EndCombo();
}

}  // namespace

void what_if_controls(const Frame& frame, Commands& commands) {
  const auto refused = what_if_refused(frame);
  ImGui::BeginDisabled(!refused.empty());
  bool on = frame.what_if.has_value();
  if (ImGui::Checkbox("what if", &on)) commands.push_back(SetWhatIf{on ? std::optional(WhatIf{}) : std::nullopt});
  if (frame.what_if) {
    factor(*frame.what_if, commands);
    policy(*frame.what_if, commands);
  }
  ImGui::EndDisabled();
  if (!refused.empty()) {
    muted_beside(refused.c_str());
  }
  if (const auto words = tell_what_if(frame); !words.empty()) ImGui::TextWrapped("%s", words.c_str());
}

}  // namespace duet::viz
