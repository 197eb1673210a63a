#include "viz/app/screenshot.h"

#include <imgui.h>

#include "viz/panels/palette.h"
#include "viz/platform/null_window.h"

namespace duet::viz {

Image screenshot(Viewer& viewer, const ScreenshotOptions& options) {
  const float font_size = options.font_size * options.scale;
  NullWindow window(options.width, options.height, font_size);
  apply_style(viewer.dark, font_size / 16);
  for (int i = 0; i < 3; ++i) {  // ImGui knows the sizes of what it drew one frame later
    window.draw([&](float width, float height) { viewer.draw(width, height); });
  }
  return window.picture(value_of({Ink::paper}, viewer.dark));
}

void save_screenshot(Viewer& viewer, const ScreenshotOptions& options, const std::filesystem::path& path) {
  write_png(screenshot(viewer, options), path);
}

}  // namespace duet::viz
