#include "viz/model/routing_bands.h"

#include <algorithm>

namespace duet::viz {

Ends ends_of(const RoutingSpace& space, const Slice& slice, Range part, bool dropped) {
  const double before = dropped ? slice.kept.size() + part.from - slice.lost.from : part.from - slice.kept.from;
  const auto skip = static_cast<float>(before), size = static_cast<float>(part.size());
  return {slice.left_y + skip * space.left.scale, size * space.left.scale, slice.right_y + skip * space.right.scale,
          size * space.right.scale};
}

Shape kept_band(const RoutingSpace& space, const Ends& ends, float filled) {
  const float x = space.body.x + space.box_width;
  const float width = space.body.width - 2 * space.box_width;
  return {.form = Form::band,
          .box = {x, ends.left, width, std::max(1.0F, ends.left_height * filled)},
          .end = {x + width, ends.right, 0, std::max(1.0F, ends.right_height * filled)}};
}

Shape dropped_band(const RoutingSpace& space, const Ends& ends, Stop stop, float filled) {
  auto band = kept_band(space, ends, filled);
  band.box.width *= stop.share;
  band.end = {band.box.right(), ends.left + (ends.right - ends.left) * stop.drift, 0, band.box.height};
  return band;
}

Point end_of(const Shape& band) { return {band.box.right(), band.end.y + band.end.height / 2}; }

Shape cross_at(Point middle, float size, Hit hit, float alpha) {
  return {.form = Form::cross,
          .box = {middle.x - size / 2, middle.y - size / 2, size, size},
          .colour = {Ink::dropped, 0, alpha},
          .hit = hit,
          .size = size < 8 ? 1.5F : 2};
}

bool fades(const Hit& pinned, const Flow& flow) {
  switch (pinned.thing) {
    case Thing::rank:
      return pinned.a != flow.rank;
    case Thing::expert:
      return pinned.b != flow.expert || pinned.a != flow.owner;
    case Thing::ribbon:
    case Thing::drop:
      return pinned.a != flow.rank || pinned.b != flow.expert;
    case Thing::token:
      return true;
    default:
      return false;
  }
}

Hit settled(const Hit& pinned, const std::vector<Flow>& flows) {
  const auto any = [&](const Hit& hit) {
    return std::any_of(flows.begin(), flows.end(), [&](const Flow& flow) { return !fades(hit, flow); });
  };
  if (pinned.thing == Thing::token || any(pinned)) return pinned;
  if (pinned.thing != Thing::expert) return {};
  const auto elsewhere =
      std::find_if(flows.begin(), flows.end(), [&](const Flow& flow) { return flow.expert == pinned.b; });
  return elsewhere == flows.end() ? Hit{} : Hit{Thing::expert, elsewhere->owner, pinned.b};
}

}  // namespace duet::viz
