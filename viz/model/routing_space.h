#pragma once
/// Where the routing picture's ranks, experts and ribbons stand: two columns of boxes, and what of each ribbon is in
/// sight.
#include <cstdint>
#include <vector>

#include "viz/model/flows.h"
#include "viz/model/shapes.h"

namespace duet::viz {

/// The part of all (token, choice) pairs, from 0 to 1, that is in sight.
struct RoutingZoom {
  float from = 0;
  float to = 1;
  bool all() const { return from <= 0 && to >= 1; }
};

/// Boxes one below the other, each as high as those of its pairs that are in sight.
struct Column {
  std::vector<Rect> boxes;
  std::vector<double> pairs;  ///< in sight
  std::vector<bool> shown;    ///< not so: nothing of it is in sight
  float scale = 0;            ///< pixels a pair
};

/// Some of a ribbon's pairs, which are counted from 0.
struct Range {
  double from = 0;
  double to = 0;
  double size() const { return to - from; }
  bool empty() const { return to <= from; }
};

/// What is in sight of the pairs that one rank has for one expert: those kept, and below them those dropped.
struct Slice {
  Flow flow;
  std::size_t place = 0;  ///< of the expert, in RoutingSpace::places
  Range kept;
  Range lost;
  float left_y = 0;   ///< where its kept pairs begin at the rank's box
  float right_y = 0;  ///< and at the expert's
};

/// The picture's geometry. Zooming in leaves some of the pairs; both columns consist of those, so that the way of each
/// can be followed from end to end.
struct RoutingSpace {
  Rect body;            ///< from the left column's left to the right column's right
  float box_width = 0;  ///< of a column
  std::vector<Place> places;
  Column left;                ///< a box a rank
  Column right;               ///< a box a place
  std::vector<Slice> slices;  ///< ranks first, then experts; only those in sight
};

RoutingSpace routing_space(const std::vector<Flow>& flows, std::size_t ranks, RoutingZoom zoom, Rect body, float line);

/// The zoom after the wheel turned and a drag moved, both upwards positive; the drag in parts of the height. The pair
/// under the pointer, `pointer` of the height from the top, stays there. At most about `closest` pairs fill the height.
RoutingZoom zoomed(RoutingZoom zoom, float pointer, float wheel, float drag, double pairs, double closest);

}  // namespace duet::viz
