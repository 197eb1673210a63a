#include "viz/platform/fonts.h"

#include <filesystem>

namespace duet::viz {

Image load_font(float size) {
  auto& io = ImGui::GetIO();
  for (const auto* path : {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans.ttf",
                           "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf"}) {
    if (!std::filesystem::exists(path)) continue;
    io.Fonts->AddFontFromFileTTF(path, size);
    break;
  }
  if (io.Fonts->Fonts.empty()) io.Fonts->AddFontDefault();
  unsigned char* pixels = nullptr;
  Image atlas;
  io.Fonts->GetTexDataAsRGBA32(&pixels, &atlas.width, &atlas.height);
  atlas.rgba.assign(pixels, pixels + static_cast<std::ptrdiff_t>(atlas.width) * atlas.height * 4);
  return atlas;
}

}  // namespace duet::viz
