#include <imgui.h>

#include <algorithm>

#include "viz/model/inspector.h"
#include "viz/panels/palette.h"
#include "viz/panels/panels.h"

namespace duet::viz {

namespace {

// Two columns; where the second would be too narrow, its words go below the name.
void row(const InspectorRow& row, float names, bool dark) {
  ImGui::TextDisabled("%s", row.name.c_str());
  if (ImGui::GetContentRegionAvail().x > names * 3) {
    ImGui::SameLine(names);
  }
  ImGui::PushTextWrapPos();
  ImGui::PushStyleColor(ImGuiCol_Text, value_of({row.ink}, dark));
  ImGui::TextUnformatted(row.words.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

}  // namespace

void inspector_panel(const Frame& frame, Commands& commands) {
  const auto inspection = inspect(frame, frame.pinned);
  if (frame.pinned.thing == Thing::token) commands.push_back(NeedTokens{});
  ImGui::TextUnformatted(inspection.title.c_str());
  if (frame.pinned.thing != Thing::none) {
    ImGui::SameLine();
    if (ImGui::SmallButton("let go")) commands.push_back(Pin{});
  }
  ImGui::BeginChild("rows");
  for (const auto& one : inspection.rows) row(one, ImGui::GetFontSize() * 5, frame.dark);
  ImGui::EndChild();
}

}  // namespace duet::viz
