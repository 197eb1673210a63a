#pragma once
/// Draws ImGui's triangles on the processor, so that a picture needs no display. The same input gives the same bytes.
#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace duet::viz {

/// Pixels in rows from the top, 4 bytes each: red, green, blue, alpha.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

/// @param data what ImGui::Render left; its one texture is the font atlas
/// @param atlas the font atlas as RGBA, and its size
Image rasterize(const ImDrawData& data, const Image& atlas, ImU32 background);

/// Writes a PNG whole or not at all. @throws InputError when the system refuses
void write_png(const Image& image, const std::filesystem::path& path);

}  // namespace duet::viz
