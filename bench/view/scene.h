#pragma once
/// A viewer on a trace in a window without a display, as a person would have it.
#include <filesystem>
#include <memory>

#include "viz/app/viewer.h"
#include "viz/platform/null_window.h"

namespace duet::bench {

class Scene {
 public:
  explicit Scene(const std::filesystem::path& trace);
  explicit Scene(std::string text);

  void frame();
  /// Turns the wheel over the routing picture until single tokens are in sight, if it can show them.
  void zoom_to_tokens();
  /// In ImGui's draw lists of the last frame.
  int vertices() const;

  viz::Viewer& viewer() { return *viewer_; }
  const viz::TraceIndex& trace() const { return *trace_; }

 private:
  void open(std::unique_ptr<viz::TraceIndex> trace);

  std::unique_ptr<viz::TraceIndex> trace_;
  std::unique_ptr<viz::TraceSet> traces_;
  std::unique_ptr<viz::Viewer> viewer_;
  std::unique_ptr<viz::NullWindow> window_;
};

}  // namespace duet::bench
