#pragma once
/// The viewer's state, what commands do to it, and one frame of its window.
#include "viz/model/frame.h"
#include "viz/model/trace_index.h"

namespace duet::viz {

/// `all`: routing on the left, the others on the right behind tabs.
enum class Panels { all, routing, timeline, curves, load, traffic };

class Viewer {
 public:
  Viewer(TraceIndex& trace, std::string title) : trace_(trace), title_(std::move(title)) {}

  Panels panels = Panels::all;
  bool dark = false;
  std::string caption;

  /// Shows the step of that number, or the one nearest below it.
  void go_to_step(std::int64_t step);
  void go_to_place(std::size_t number);
  std::size_t place() const { return place_; }

  Frame frame() const;
  /// Draws one frame inside ImGui's; true when a person changed something.
  bool draw(float width, float height);

 private:
  void draw_panels(const Frame& frame, Commands& commands) const;
  void play_on();
  void apply(const Command& command);

  TraceIndex& trace_;
  std::string title_;
  std::size_t place_ = 0;
  std::size_t shown_ = 0;
  TimeWindow window_;
  Hit pinned_;
  bool playing_ = false;
  bool help_ = false;
  double shown_since_s_ = 0;  ///< of the step in sight, while playing
};

}  // namespace duet::viz
