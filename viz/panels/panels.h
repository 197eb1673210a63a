#pragma once
/// The panels: each draws a part of the window from a frame and says what the person asked for.
#include "viz/model/frame.h"

namespace duet::viz {

/// Step, mode and theme, along the top.
void control_panel(const Frame& frame, Commands& commands);
/// What may change in a run that goes on; nothing where a trace is looked at.
void live_panel(const Frame& frame, Commands& commands);
/// Which tokens went where (viz/model/routing_layout.h).
void routing_panel(const Frame& frame, Commands& commands);
/// All about what is selected (viz/model/inspector.h).
void inspector_panel(const Frame& frame, Commands& commands);
/// Where the step's time went, and the way from DP's to EP's (viz/model/timeline_layout.h).
void timeline_panel(const Frame& frame, Commands& commands);

/// Loss, std, drops and time over the steps (viz/model/curves_layout.h); a click goes to the step.
void curves_panel(const Frame& frame, Commands& commands);
/// Expert by step.
void load_panel(const Frame& frame, Commands& commands);
/// Rank by rank (viz/model/traffic_layout.h).
void traffic_panel(const Frame& frame, Commands& commands);
/// The steps of one layer, one at a time (viz/model/flow_layout.h).
void flow_panel(const Frame& frame, Commands& commands);
/// What the keyboard asks for; see key_help.
void keys(const Frame& frame, Commands& commands);
/// The list of keys, over the rest.
void help_panel(const Frame& frame, Commands& commands);

}  // namespace duet::viz
