#include "viz/panels/beside.h"

#include <imgui.h>

namespace duet::viz {

void beside(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

float button_width(const char* label) { return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x; }

float check_width(const char* label) { return field_width(label, 0) + ImGui::GetFrameHeight(); }

float field_width(const char* label, float lines) {
  return lines * ImGui::GetFontSize() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(label).x;
}

void muted_beside(const char* words) {
  beside(ImGui::CalcTextSize(words).x);
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::AlignTextToFramePadding();
  ImGui::TextWrapped("%s", words);
  ImGui::PopStyleColor();
}

}  // namespace duet::viz
