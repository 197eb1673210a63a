#pragma once
/// How much room the parts of the flow picture take at one scale.
#include "viz/model/flow_batch.h"

namespace duet::viz {

/// Boxes side by side, over as many lines as they need; from the top left corner of their area.
struct Packed {
  std::vector<Point> at;
  int lines = 1;
};

/// An expert on its rank, with the rows that it gets.
struct FlowStrip {
  std::int64_t expert = 0;
  std::vector<std::size_t> rows = {};  ///< in the order of arrival
  Packed packed = {};
  Point at = {};  ///< in its rank's part for experts
  float height = 0;
};

/// What stands on one rank: indices of rows, and their places within their part.
struct FlowRankRoom {
  std::vector<std::size_t> tokens;  ///< the first row of each
  std::vector<std::size_t> dropped, queue;
  std::vector<FlowStrip> strips;
  Packed token_places, dropped_places, queue_places;
};

/// Heights of the parts, their captions included; 0: the part is left out.
struct FlowHeights {
  float tokens = 0, dropped = 0, plan = 0, counts = 0, experts = 0;
};

class FlowMeasure {
 public:
  FlowMeasure(const FlowBatch& batch, Rect rect, float line, float scale);

  bool fits() const;
  float total_height() const { return total_; }

  float unit = 0;  ///< a line of text, never larger than the font's
  float note = 0;  ///< a line of small text
  float box_width = 0, box_height = 0;
  float pad = 0;
  float column = 0;   ///< width of a rank's frame
  float inner = 0;    ///< and less its margins
  bool away = false;  ///< whether there is a narrow last frame for the ranks that are not drawn
  int hidden_experts = 0;
  FlowHeights heights;
  std::vector<FlowRankRoom> ranks;
  std::vector<std::size_t> gone;  ///< rows for ranks that are not drawn
  Packed gone_places;

  float header() const { return 1.7F * unit; }
  float slot_gap() const { return box_width * 0.06F; }
  float cell_pad() const { return box_width * 0.12F; }
  float cell_width() const;
  float cell_height() const { return box_height + 2 * note + 0.4F * unit + 2 * cell_pad(); }
  float strip_width() const;
  float bar_width() const;
  float area_width() const { return (strip_width() - bar_width()) / 2 - 2 * strip_pad(); }
  float strip_pad() const { return pad * 0.6F; }
  float away_width() const { return column / 2 - 2 * pad; }

 private:
  float plan_pitch() const { return 2 * note + box_height + 0.2F * unit; }
  float strip_pitch() const { return note + box_height + 0.15F * unit; }
  float plain_pitch() const { return box_height + 0.25F * unit; }
  Packed pack_boxes(const std::vector<int>& groups, float width, float pitch) const;
  void measure(const FlowBatch& batch, int rank);
  void find_strips(const FlowBatch& batch, int rank, FlowRankRoom& room);
  float stack_strips(const FlowBatch& batch, FlowRankRoom& room) const;
  void measure_away(const FlowBatch& batch);
  void measure_parts(const FlowBatch& batch);

  int choices_ = 1;
  float rect_height_ = 0;
  float total_ = 0;
  std::size_t most_strips_ = 0;
};

}  // namespace duet::viz
