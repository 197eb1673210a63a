#pragma once
/// A picture of the viewer without a display.
#include <filesystem>

#include "viz/app/viewer.h"

namespace duet::viz {

struct ScreenshotOptions {
  int width = 1280;
  int height = 720;
  float font_size = 16;
};

void save_screenshot(Viewer& viewer, const ScreenshotOptions& options, const std::filesystem::path& path);

}  // namespace duet::viz
