#include "viz/model/load_layout.h"

#include <imgui.h>

#include "viz/model/flows.h"
#include "viz/panels/canvas.h"
#include "viz/panels/panels.h"

namespace duet::viz {

void load_panel(const Frame& frame, Commands& commands) {
  const Canvas canvas("load");
  const auto mode = static_cast<int>(frame.shown);
  const auto shapes = lay_out_load(frame.curves, mode, frame.pinned, canvas.rect(), canvas.line());
  canvas.draw(shapes, frame.dark);
  const auto hit = canvas.hovered(shapes);
  const bool on_cell = hit.thing == Thing::cell;
  const auto* const step = frame.modes[frame.shown].step;
  const bool layers = step != nullptr && !step->ranks.empty() && step->ranks.front().layers.size() > 1;
  canvas.say(on_cell ? tell_load(frame.curves, mode, hit)
                     : std::string("a click goes to the step and selects the expert") +
                           (layers ? "; these are the pairs of layer 0" : ""));
  if (!canvas.clicked() || !on_cell) return;
  commands.push_back(GoToStepNumbered{hit.a});
  const int owner = step == nullptr ? 0 : owner_of(*step, frame.layer, 0, hit.b);
  commands.push_back(Pin{{Thing::expert, owner, hit.b}});
}

}  // namespace duet::viz
