#include "viz/platform/null_window.h"

#include "viz/platform/fonts.h"

namespace duet::viz {

NullWindow::NullWindow(int width, int height, float font_size) : context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  auto& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // a crowded picture has more vertices than 16 bits count
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  atlas_ = load_font(font_size);
}

NullWindow::~NullWindow() { ImGui::DestroyContext(context_); }

void NullWindow::draw(const std::function<void(float, float)>& content) {
  ImGui::SetCurrentContext(context_);
  auto& io = ImGui::GetIO();
  io.DeltaTime = 1.0F / 60;
  ImGui::NewFrame();
  content(io.DisplaySize.x, io.DisplaySize.y);
  ImGui::Render();
}

Image NullWindow::picture(ImU32 background) const {
  ImGui::SetCurrentContext(context_);
  return rasterize(*ImGui::GetDrawData(), atlas_, background);
}

}  // namespace duet::viz
