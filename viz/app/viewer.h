#pragma once
/// The viewer's state, what commands do to it, and one frame of its window.
#include <functional>

#include "viz/model/frame.h"
#include "viz/model/trace_set.h"

namespace duet::viz {

/// `all`: routing and what is selected on the left, the others on the right behind tabs.
enum class Panels { all, routing, timeline, curves, load, traffic, flow };

/// A step with its drops as another rule has them (viz/app/what_if.h).
using RecomputePlan =
    std::function<trace::StepRecord(const trace::Header& header, const trace::StepRecord& step, const WhatIf& rule)>;

class Viewer {
 public:
  Viewer(TraceSet& trace, std::string title) : trace_(&trace), title_(std::move(title)) {}

  Panels panels = Panels::all;
  bool dark = false;
  std::string caption;
  RecomputePlan recompute;           ///< empty: no what-if
  LiveRun* live = nullptr;           ///< null: a trace that is only looked at
  std::function<void()> reset_live;  ///< ends the run and begins another; it calls `look_at`

  /// Another trace from now on, from its last step.
  void look_at(TraceSet& trace, std::string title);
  /// Shows the step of that number, or the one nearest below it.
  void go_to_step(std::int64_t step);
  void go_to_place(std::size_t number);
  /// The last step that every trace in sight has.
  void go_to_last();
  void show_layer(std::size_t layer) { layer_ = layer; }
  std::size_t place() const { return place_; }
  void go_to_stage(int stage) { flow_ = {stage, 1}; }
  /// The next frame has the step's single tokens.
  void want_tokens() { tokens_wanted_ = true; }
  void select(Hit hit) { pinned_ = hit; }
  void show_mode(std::size_t mode) { shown_ = mode; }

  /// Looks for new steps, and goes to the last one if the last one was in sight. True when there are more.
  bool refresh();

  Frame frame() const;
  /// Draws one frame inside ImGui's; true when a person changed something.
  bool draw(float width, float height);

 private:
  void draw_panels(const Frame& frame, Commands& commands) const;
  void play_on();
  void move_rows();
  void apply(const Command& command);
  void add_tokens(Frame& frame) const;

  TraceSet* trace_;
  std::string title_;
  std::size_t place_ = 0;
  std::size_t shown_ = 0;
  std::size_t layer_ = 0;
  TimeWindow window_;
  RoutingZoom zoom_;
  FlowPlace flow_;
  std::optional<SetWaterfall> waterfall_;
  Hit pinned_;
  std::optional<WhatIf> what_if_;
  bool tokens_wanted_ = false;  ///< for the next frame; a panel asks anew in each
  bool playing_ = false;
  bool help_ = false;
  double shown_since_s_ = 0;  ///< of the step in sight, while playing
  mutable trace::StepRecord recomputed_;
  mutable const trace::StepRecord* recomputed_of_ = nullptr;
  mutable WhatIf recomputed_by_;
  mutable std::string recompute_error_;
};

}  // namespace duet::viz
