#pragma once
/// Which tokens went where: source ranks on the left, experts on their ranks on the right, ribbons between.
#include "viz/model/routing_space.h"

namespace duet::viz {

/// What the routing picture needs beside a step.
struct RoutingView {
  std::size_t layer = 0;
  Hit pinned = {};  ///< it stands out, the rest fades
  RoutingZoom zoom = {};
  const trace::StepRecord* tokens = nullptr;  ///< the step with its single tokens; null: ribbons only
  const trace::StepRecord* ghost =
      nullptr;  ///< the same step with other drops, which are shown as outlines; null: none
};

/// The shapes of one layer of one step inside `rect`; `line` is the height of a line of text there.
///
/// Heights are proportional to (token, choice) pairs before dropping. A ribbon is what one rank sends to one expert;
/// the pairs of it that were dropped stop half way, at a cross. Zoomed in so far that a pair is some pixels high, each
/// is drawn alone, where `tokens` has them. Only what is in sight becomes shapes.
Shapes lay_out_routing(const trace::StepRecord& step, const RoutingView& view, Rect rect, float line);

/// The part of `rect` whose height the pairs fill, for the pointer.
Rect routing_body(Rect rect, float line);

/// What the pointer is on, in words: "rank 0 chose expert 1 (on rank 1) 31 times; 3 dropped: over capacity". Of a token
/// only its name: see tell_token.
std::string tell_routing(const trace::StepRecord& step, std::size_t layer, Hit hit);

}  // namespace duet::viz
