#pragma once
/// All that the record tells of one thing: the selected token, expert, rank, ribbon or phase.
#include <string>
#include <vector>

#include "viz/model/frame.h"

namespace duet::viz {

/// A name and what it is, for two columns.
struct InspectorRow {
  std::string name;
  std::string words;
  Ink ink = Ink::text;
};

struct Inspection {
  std::string title;
  std::vector<InspectorRow> rows;
};

/// Of the step as it is drawn, a rule to try included. Of nothing, or of what this step does not have: what to do.
Inspection inspect(const Frame& frame, Hit hit);

/// A hit of the timeline: `a` is its lane, `b` the event's number there.
Inspection inspect_phase(const std::vector<ModeStep>& modes, Hit hit);

}  // namespace duet::viz
