#include "viz/platform/raster.h"

#include <gtest/gtest.h>

namespace duet::viz {
namespace {

// A white texel: what ImGui fills areas with.
Image white() { return {1, 1, {255, 255, 255, 255}}; }

ImDrawVert vertex(float x, float y, ImU32 colour) { return {{x, y}, {0.5F, 0.5F}, colour}; }

class Raster : public testing::Test {
 protected:
  Raster() : context_(ImGui::CreateContext()), list_(ImGui::GetDrawListSharedData()) {
    list_._ResetForNewFrame();
    list_.PushClipRect({0, 0}, {8, 8});
  }
  ~Raster() override { ImGui::DestroyContext(context_); }

  void triangle(ImDrawVert a, ImDrawVert b, ImDrawVert c) {
    list_.PrimReserve(3, 3);
    for (const auto& v : {a, b, c}) list_.PrimVtx(v.pos, v.uv, v.col);
  }

  Image draw() {
    ImDrawData data;
    auto* lists = &list_;
    data.Valid = true;
    data.CmdLists = &lists;
    data.CmdListsCount = 1;
    data.DisplaySize = {8, 8};
    return rasterize(data, white(), IM_COL32(0, 0, 0, 255));
  }

  static int red(const Image& image, int x, int y) {
    return image.rgba[static_cast<std::size_t>(y * image.width + x) * 4];
  }

  ImGuiContext* context_;
  ImDrawList list_;
};

TEST_F(Raster, PaintsEachPixelOfTwoTrianglesThatShareAnEdgeOnce) {
  const auto half = IM_COL32(255, 255, 255, 128);  // twice would be brighter
  triangle(vertex(1, 1, half), vertex(7, 1, half), vertex(7, 7, half));
  triangle(vertex(1, 1, half), vertex(7, 7, half), vertex(1, 7, half));
  const auto image = draw();
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      const bool inside = x >= 1 && x < 7 && y >= 1 && y < 7;
      EXPECT_EQ(red(image, x, y), inside ? 128 : 0) << x << ", " << y;
    }
  }
}

TEST_F(Raster, PaintsBothWaysRound) {
  const auto colour = IM_COL32(255, 0, 0, 255);
  triangle(vertex(7, 7, colour), vertex(7, 1, colour), vertex(1, 1, colour));
  EXPECT_EQ(red(draw(), 6, 2), 255);
}

TEST_F(Raster, KeepsToTheClipRectangle) {
  list_.PushClipRect({2, 2}, {4, 4});
  const auto colour = IM_COL32(255, 0, 0, 255);
  triangle(vertex(0, 0, colour), vertex(16, 0, colour), vertex(0, 16, colour));
  const auto image = draw();
  EXPECT_EQ(red(image, 3, 3), 255);
  EXPECT_EQ(red(image, 4, 3), 0);
  EXPECT_EQ(red(image, 1, 3), 0);
}

}  // namespace
}  // namespace duet::viz
