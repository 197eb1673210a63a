#pragma once
/// Names beside the routing picture's boxes, thinned out so that none lies over another.
#include <string>
#include <vector>

#include "viz/model/routing_space.h"

namespace duet::viz {

/// About as wide as the text will be, in pixels: layouts have no font. `line` is a line's height.
float text_width(const std::string& text, float line);

/// Places for texts of height `pitch` between `top` and `bottom`, each as near to where it is wanted as the others
/// allow; `wanted` rises. Empty: there is no room for so many.
std::vector<float> spread(std::vector<float> wanted, float pitch, float top, float bottom);

/// The names of ranks and experts. Where there is no room for each expert they are named by rank; where there is none
/// for each rank, only some are.
///
/// @param brief short forms, for narrow pictures
/// @param indent room left of the rank's boxes that something else takes, in pixels
Shapes routing_labels(const RoutingSpace& space, bool brief, float indent, float line);

/// Crosses where dropped pairs stop, and how many there are, from the most down: as many as find room. What is faded
/// has no number.
struct DropMark {
  Point at;
  std::int64_t dropped = 0;
  Hit hit;
  bool faded = false;
};
Shapes drop_marks(std::vector<DropMark> marks, const std::string& reason, float room, float line);

}  // namespace duet::viz
