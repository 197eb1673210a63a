#pragma once
/// What the panels read: one moment of the viewer. They change nothing in it; they ask for changes by commands.
#include <string>
#include <variant>
#include <vector>

#include "viz/model/curves_layout.h"
#include "viz/model/timeline_layout.h"

namespace duet::viz {

struct Frame {
  std::string title;            ///< the trace's name
  std::vector<ModeStep> modes;  ///< records of the step in sight; null where a mode does not have it
  std::size_t shown = 0;        ///< the mode whose routing is shown
  std::int64_t step = 0;
  std::size_t step_number = 0;  ///< its place among all, from 0
  std::size_t steps = 0;
  std::size_t layer = 0;
  TimeWindow window;
  Hit pinned;
  std::string caption;  ///< what to look at, where a lesson opened the viewer
  std::string note;     ///< "the last line was cut off" and the like
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
using Command = std::variant<GoToStep, GoToStepNumbered, ShowMode, Pin, SetWindow, SetDark, Play, ShowHelp>;
using Commands = std::vector<Command>;

}  // namespace duet::viz
