#pragma once
/// What differs between Dear ImGui 1.86 (Debian 12) and later versions, and nothing else.
#include <imgui.h>

namespace duet::viz {

/// Whether a named key went down in this frame, repeats included.
inline bool key_pressed(ImGuiKey key) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(key);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#endif
}

}  // namespace duet::viz
