#pragma once
/// A real window: GLFW and OpenGL 3. An idle one sleeps until something happens.
#include <atomic>
#include <functional>
#include <string>

#include "core/error.h"

namespace duet::viz {

struct WindowOptions {
  std::string title;
  int width = 1280;
  int height = 720;
  float font_size = 16;  ///< in pixels where the scale is 1
  float scale = 0;       ///< of everything; 0: as the monitor asks that the window opens on, and a larger window
  const std::atomic<bool>* stop = nullptr;  ///< closes the window as soon as it is set (Ctrl-C)
};

/// Whether a window can be opened here; if not, `why` says what is missing.
bool has_display(std::string& why);

/// The error for that.
InputError no_display(const std::string& why);

/// Wakes a sleeping window; from any thread.
void wake_window();

/// Where and how large a frame is drawn.
struct Surface {
  float width = 0;
  float height = 0;
  float scale = 1;  ///< of fonts and spaces
};

/// Opens a window and calls `frame` inside ImGui's frame until it is closed. `frame` returns whether another frame is
/// needed at once. `tick` is called at least every `tick_s` and returns whether to redraw.
/// @throws InputError where there is no display
void run_window(const WindowOptions& options, const std::function<bool(const Surface&)>& frame, double tick_s,
                const std::function<bool()>& tick);

}  // namespace duet::viz
