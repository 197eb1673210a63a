#pragma once
/// A picture of the viewer without a display.
#include <filesystem>

#include "viz/app/viewer.h"
#include "viz/platform/raster.h"

namespace duet::viz {

struct ScreenshotOptions {
  int width = 1280;
  int height = 720;
  float font_size = 16;
  float scale = 1;  ///< of everything
};

Image screenshot(Viewer& viewer, const ScreenshotOptions& options);
void save_screenshot(Viewer& viewer, const ScreenshotOptions& options, const std::filesystem::path& path);

}  // namespace duet::viz
