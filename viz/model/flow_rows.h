#pragma once
/// The rows of the flow picture, where they came from, and how their look changes on the way.
#include "viz/model/flow_places.h"

namespace duet::viz {

/// What a moment of the flow consists of.
struct FlowScene {
  const FlowBatch& batch;
  const FlowPlaces& places;
  FlowPlace flow;
  Hit pinned;
  bool pinned_here = false;  ///< the selection is about a row of this batch
  float line = 0;

  Stage stage() const { return stage_of(flow.stage); }
  /// Whether what a stage brings is there: the second half of its move has begun, or it is past.
  bool has(Stage stage) const;
  bool faded(const FlowRow& row) const { return pinned_here && !FlowBatch::is_about(pinned, row); }
};

/// Ghosts at the places that rows left, and the ways that they took in this stage.
void add_ways(Shapes& shapes, const FlowScene& scene);
/// What is pinned lies on top.
void add_rows(Shapes& shapes, const FlowScene& scene);

}  // namespace duet::viz
