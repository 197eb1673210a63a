#pragma once
/// Where everything stands in the flow picture: ranks side by side, and in each, from top to bottom, its tokens, what
/// was dropped, its rows in sending order, the counts, and its experts, where rows enter on the left and leave on the
/// right.
#include "viz/model/flow_stages.h"
#include "viz/model/frame.h"

namespace duet::viz {

struct FlowColumn {
  int rank = 0;  ///< -1: all those that are not drawn
  Rect frame = {};
};

/// A token at home: its rows side by side, what was said of them below, and its output at the foot.
struct FlowCell {
  int rank = 0;
  std::int64_t token = 0;
  Rect box = {};
};

struct FlowExpert {
  int rank = 0;
  std::int64_t expert = 0;
  Rect strip = {};
  Rect bar = {};  ///< the expert itself, in the middle of its strip
  std::int64_t rows = 0;
};

/// One number of the table of counts.
struct FlowCount {
  int source = 0;
  int rank = 0;
  std::int64_t expert = 0;
  std::int64_t rows = 0;
  Rect from = {};  ///< where the source has it
  Rect at = {};
};

/// The tops of the parts, the same on all ranks; `dropped` and `counts` may take no room.
struct FlowParts {
  float tokens = 0;
  float dropped = 0;
  float plan = 0;
  float counts = 0;
  float experts = 0;
};

struct FlowPlaces {
  float unit = 0;         ///< a line of text, smaller than the font where room is scarce
  float note_height = 0;  ///< of each of the two lines below a row at home, and of the labels along the plan
  std::vector<FlowColumn> columns;
  std::vector<FlowCell> cells;
  std::vector<FlowExpert> experts;
  std::vector<FlowCount> counts;
  FlowParts parts;
  bool any_dropped = false;
  int hidden_experts = 0;  ///< the most that a rank has beyond the strips drawn
  // By row of the batch. A dropped row has the same place in the last three; so has one that left the ranks drawn.
  std::vector<Rect> home, queue, in, out;
};

FlowPlaces place_flow(const FlowBatch& batch, Rect rect, float line);

/// A share of the way from one place to another, slow at both ends.
Rect between(const Rect& a, const Rect& b, float share);

/// Where a row stands at the end of a stage.
Rect place_at(const FlowPlaces& places, const FlowBatch& batch, std::size_t row, Stage stage);
/// And on its way there. The exchanges of the way back pass the plan's order, as those of the way out do.
Rect place_on_the_way(const FlowPlaces& places, const FlowBatch& batch, std::size_t row, FlowPlace flow);

}  // namespace duet::viz
