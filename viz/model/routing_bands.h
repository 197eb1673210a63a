#pragma once
/// The routing picture's ribbons as shapes: what arrives reaches from column to column, what is dropped stops half way.
#include "viz/model/routing_space.h"

namespace duet::viz {

/// What is dropped goes this part of the width, and this part of the way down or up to its expert's box.
struct Stop {
  float share = 0.42F;
  float drift = 0.3F;
};

/// Where some of a slice's pairs lie at both ends, in pixels; the dropped ones lie below the kept ones.
struct Ends {
  float left = 0;
  float left_height = 0;
  float right = 0;
  float right_height = 0;
};
Ends ends_of(const RoutingSpace& space, const Slice& slice, Range part, bool dropped);

/// A band between the columns, one pixel high at least; `filled` of its height is drawn, the rest is a gap below it.
Shape kept_band(const RoutingSpace& space, const Ends& ends, float filled = 1);
Shape dropped_band(const RoutingSpace& space, const Ends& ends, Stop stop, float filled = 1);

/// The middle of a band's right end.
Point end_of(const Shape& band);
Shape cross_at(Point middle, float size, Hit hit, float alpha);

/// Whether a selection makes that flow step back. A selected token's own pairs are drawn over what steps back.
bool fades(const Hit& pinned, const Flow& flow);

/// The selection as this step knows it: another mode may have other ranks, or the expert elsewhere. An empty hit: it
/// has none of it.
Hit settled(const Hit& pinned, const std::vector<Flow>& flows);

}  // namespace duet::viz
