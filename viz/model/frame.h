#pragma once
/// What the panels read: one moment of the viewer. They change nothing in it; they ask for changes by commands.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "viz/model/curves_layout.h"
#include "viz/model/live.h"
#include "viz/model/routing_space.h"
#include "viz/model/timeline_layout.h"

namespace duet::viz {

/// A rule of capacity to try on the step in sight. Words are those of the flags.
struct WhatIf {
  std::string capacity_factor = "1.0";
  std::string drop = "position";
  bool operator==(const WhatIf&) const = default;
};

/// How far the walk through one layer is: a step of it, and how much of the way to it the rows have gone.
struct FlowPlace {
  int stage = 0;
  float progress = 1;
};

struct Frame {
  std::string title;            ///< the trace's name
  std::vector<ModeStep> modes;  ///< records of the step in sight; null where a mode does not have it
  std::size_t shown = 0;        ///< the mode whose routing is shown
  std::int64_t step = 0;
  std::size_t step_number = 0;  ///< its place among all, from 0
  std::size_t steps = 0;
  std::size_t layer = 0;
  /// The shown mode's record with its single tokens, of the step in sight; null: nobody asked for it by NeedTokens, or
  /// the step is not there. A trace that was written without tokens has a record with empty lists.
  const trace::StepRecord* tokens = nullptr;
  std::optional<WhatIf> what_if;                  ///< asked for
  const trace::StepRecord* recomputed = nullptr;  ///< `tokens` with other drops, by that rule; null: none
  std::string what_if_error;                      ///< why there is none
  TimeWindow window;
  RoutingZoom routing_zoom;
  FlowPlace flow;
  std::optional<std::size_t> waterfall_from;  ///< modes whose step times the waterfall joins; nothing: dp and ep
  std::optional<std::size_t> waterfall_to;
  Hit pinned;                     ///< the one selection, which every panel shows in its own way
  std::optional<LiveState> live;  ///< of a run that goes on
  std::string caption;            ///< what to look at, where a lesson opened the viewer
  std::string note;               ///< "the last line was cut off" and the like
  Curves curves;
  bool dark = false;
  bool playing = false;
  bool help = false;
};

/// What a panel asks for.
struct GoToStep {
  std::size_t number = 0;
};
struct GoToStepNumbered {
  std::int64_t step = 0;
};
struct ShowMode {
  std::size_t mode = 0;
};
struct Pin {
  Hit hit;
};
struct SetWindow {
  TimeWindow window;
};
struct SetDark {
  bool dark = false;
};
struct Play {
  bool on = false;
};
struct ShowHelp {
  bool on = false;
};
struct ShowLayer {
  std::size_t layer = 0;
};
struct NeedTokens {};  ///< a panel cannot draw what it should without `Frame::tokens`
struct SetWhatIf {
  std::optional<WhatIf> rule;
};
struct SetRoutingZoom {
  RoutingZoom zoom;
};
struct GoToStage {
  int stage = 0;
};
struct ChangeRun {
  LiveSettings settings;
};
struct PauseRun {
  bool on = false;
};
struct StepRun {};
struct ResetRun {};  ///< ends the run, keeps what it wrote, and begins another from fresh weights
struct SetWaterfall {
  std::size_t from = 0;  ///< modes
  std::size_t to = 0;
};
using Command =
    std::variant<SetWaterfall, GoToStep, GoToStepNumbered, ShowMode, Pin, SetWindow, SetDark, Play, ShowHelp, ShowLayer,
                 NeedTokens, SetWhatIf, SetRoutingZoom, GoToStage, ChangeRun, PauseRun, StepRun, ResetRun>;
using Commands = std::vector<Command>;

}  // namespace duet::viz
