#include "viz/app/screenshot.h"

#include <imgui.h>

#include "viz/panels/palette.h"
#include "viz/platform/fonts.h"

namespace duet::viz {

void save_screenshot(Viewer& viewer, const ScreenshotOptions& options, const std::filesystem::path& path) {
  struct Context {
    ImGuiContext* context = ImGui::CreateContext();
    ~Context() { ImGui::DestroyContext(context); }
  } const context;
  auto& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // more vertices than 16 bits count
  io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
  const auto atlas = load_font(options.font_size);
  apply_style(viewer.dark, options.font_size / 16);
  for (int i = 0; i < 3; ++i) {  // ImGui knows the sizes of what it drew one frame later
    io.DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    viewer.draw(io.DisplaySize.x, io.DisplaySize.y);
    ImGui::Render();
  }
  write_png(rasterize(*ImGui::GetDrawData(), atlas, value_of({Ink::paper}, viewer.dark)), path);
}

}  // namespace duet::viz
