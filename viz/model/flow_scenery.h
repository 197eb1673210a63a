#pragma once
/// What rows move through in the flow picture: the ranks, their parts, and the experts.
#include "viz/model/flow_rows.h"
#include "viz/model/flow_words.h"

namespace duet::viz {

/// The ranks, their routers, and the names of the parts.
void add_frames(Shapes& shapes, const FlowScene& scene);
/// Tokens at home, with their outputs once there are some.
void add_cells(Shapes& shapes, const FlowScene& scene);
/// Below a row at home: what the router said of it.
void add_notes(Shapes& shapes, const FlowScene& scene);
/// Along the rows in sending order: which rank and which expert they are for.
void add_plan_labels(Shapes& shapes, const FlowScene& scene);
/// The table of counts; its numbers travel.
void add_counts(Shapes& shapes, const FlowScene& scene);
/// The room for an expert's rows, and where they came from.
void add_strips(Shapes& shapes, const FlowScene& scene);
/// The experts themselves.
void add_bars(Shapes& shapes, const FlowScene& scene);
/// Of each expert's gradient, once it is whole.
void add_norms(Shapes& shapes, const FlowScene& scene, const trace::StepRecord& step, std::size_t layer);
/// Which weights are averaged with which, while they are.
void add_averaging(Shapes& shapes, const FlowScene& scene);

}  // namespace duet::viz
