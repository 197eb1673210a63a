#pragma once
/// ImGui without a display: for pictures, tests and benchmarks.
#include <functional>

#include "viz/platform/raster.h"

namespace duet::viz {

class NullWindow {
 public:
  /// @param font_size in pixels, of the whole window
  NullWindow(int width, int height, float font_size);
  ~NullWindow();
  NullWindow(const NullWindow&) = delete;
  NullWindow& operator=(const NullWindow&) = delete;

  /// One frame round `content(width, height)`, a sixtieth of a second after the last. Pointer and keys are ImGui's own:
  /// set them before, in ImGui::GetIO().
  void draw(const std::function<void(float, float)>& content);

  /// What the last frame drew, as pixels.
  Image picture(ImU32 background) const;

 private:
  ImGuiContext* context_;
  Image atlas_;
};

}  // namespace duet::viz
