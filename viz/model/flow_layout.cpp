#include "viz/model/flow_layout.h"

#include <algorithm>

#include "viz/model/flow_scenery.h"

namespace duet::viz {

Shapes lay_out_flow(const trace::StepRecord& step, const FlowView& view, Rect rect, float line) {
  const auto batch = flow_batch(step, view.layer, view.pinned);
  const auto places = place_flow(batch, rect, line);
  const bool here = std::any_of(batch.rows.begin(), batch.rows.end(),
                                [&](const FlowRow& row) { return FlowBatch::is_about(view.pinned, row); });
  const FlowScene scene{batch, places, view.flow, view.pinned, here, line};
  Shapes shapes;
  add_frames(shapes, scene);
  add_cells(shapes, scene);
  add_strips(shapes, scene);
  add_ways(shapes, scene);
  add_bars(shapes, scene);
  add_notes(shapes, scene);
  add_plan_labels(shapes, scene);
  add_counts(shapes, scene);
  add_rows(shapes, scene);
  add_averaging(shapes, scene);
  add_norms(shapes, scene, step, view.layer);
  return shapes;
}

}  // namespace duet::viz
