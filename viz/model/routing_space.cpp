#include "viz/model/routing_space.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace duet::viz {

namespace {

// Boxes of a group, the experts of a rank, stand closer together than groups.
constexpr float between_groups = 3;

// Gives the boxes their places. All gaps together take a quarter of the height at most, however many there are.
void stack(Column& column, const std::vector<int>& group, Rect rect, float line) {
  float gaps = 0;
  int before = -1;
  std::vector<float> above(group.size(), 0);
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!column.shown[i]) continue;
    if (before >= 0) above[i] = group[i] == before ? 1 : between_groups;
    before = group[i];
    gaps += above[i];
  }
  const float gap = std::min({line * 0.5F, rect.height / 80, gaps > 0 ? rect.height / 4 / gaps : line});
  const double total = std::max(1e-9, std::accumulate(column.pairs.begin(), column.pairs.end(), 0.0));
  column.scale = static_cast<float>(static_cast<double>(std::max(0.0F, rect.height - gap * gaps)) / total);
  float y = rect.y;
  for (std::size_t i = 0; i < group.size(); ++i) {
    y += above[i] * gap;
    const float height = static_cast<float>(column.pairs[i]) * column.scale;
    column.boxes.push_back({rect.x, y, rect.width, height});
    y += height;
  }
}

Column empty_column(std::size_t size, bool all) {
  return {.boxes = {}, .pairs = std::vector<double>(size, 0), .shown = std::vector<bool>(size, all)};
}

// Of pairs `first` to `first + count`, counted over all ranks, those in sight, counted from `first`.
Range seen(Range sight, double first, std::int64_t count) {
  const double from = std::clamp(sight.from - first, 0.0, static_cast<double>(count));
  return {from, std::clamp(sight.to - first, from, static_cast<double>(count))};
}

std::size_t place_of(const std::vector<Place>& places, const Flow& flow) {
  const auto found = std::lower_bound(
      places.begin(), places.end(), std::pair(flow.owner, flow.expert),
      [](const Place& place, const auto& wanted) { return std::pair(place.rank, place.expert) < wanted; });
  return static_cast<std::size_t>(found - places.begin());
}

void add_slices(RoutingSpace& space, const std::vector<Flow>& flows, Range sight) {
  double first = 0;
  for (const auto& flow : flows) {
    const auto kept = flow.pairs - flow.dropped;
    Slice slice{.flow = flow,
                .place = place_of(space.places, flow),
                .kept = seen(sight, first, kept),
                .lost = seen(sight, first + static_cast<double>(kept), flow.dropped)};
    first += static_cast<double>(flow.pairs);
    const double pairs = slice.kept.size() + slice.lost.size();
    if (pairs <= 0) continue;
    const auto rank = static_cast<std::size_t>(flow.rank);
    space.left.pairs[rank] += pairs;
    space.left.shown[rank] = true;
    space.right.pairs[slice.place] += pairs;
    space.right.shown[slice.place] = true;
    space.slices.push_back(slice);
  }
}

// Slices take their boxes' room from the top, in order.
void place_slices(RoutingSpace& space) {
  std::vector<float> used_left(space.left.boxes.size(), 0), used_right(space.right.boxes.size(), 0);
  for (auto& slice : space.slices) {
    const auto rank = static_cast<std::size_t>(slice.flow.rank);
    const auto pairs = static_cast<float>(slice.kept.size() + slice.lost.size());
    slice.left_y = space.left.boxes[rank].y + used_left[rank];
    slice.right_y = space.right.boxes[slice.place].y + used_right[slice.place];
    used_left[rank] += pairs * space.left.scale;
    used_right[slice.place] += pairs * space.right.scale;
  }
}

}  // namespace

RoutingSpace routing_space(const std::vector<Flow>& flows, std::size_t ranks, RoutingZoom zoom, Rect body, float line) {
  RoutingSpace space{.body = body,
                     .box_width = line * 0.7F,
                     .places = places_of(flows),
                     .left = empty_column(ranks, zoom.all()),
                     .right = {},
                     .slices = {}};
  space.right = empty_column(space.places.size(), zoom.all());
  const auto pairs = static_cast<double>(total_of(flows).pairs);
  const Range sight = zoom.all() ? Range{0, pairs} : Range{pairs * zoom.from, pairs * zoom.to};
  add_slices(space, flows, sight);
  const float width = space.box_width;
  std::vector<int> each(ranks), owners;
  std::iota(each.begin(), each.end(), 0);
  for (const auto& place : space.places) owners.push_back(place.rank);
  stack(space.left, each, {body.x, body.y, width, body.height}, line);
  stack(space.right, owners, {body.right() - width, body.y, width, body.height}, line);
  place_slices(space);
  return space;
}

RoutingZoom zoomed(RoutingZoom zoom, float pointer, float wheel, float drag, double pairs, double closest) {
  const float least = static_cast<float>(std::clamp(closest / std::max(1.0, pairs), 1e-7, 1.0));
  const float span = zoom.to - zoom.from;
  const float wanted = std::clamp(span * std::pow(0.8F, wheel), least, 1.0F);
  const float at = zoom.from + span * std::clamp(pointer, 0.0F, 1.0F);
  const float from = at - (at - zoom.from) * (wanted / span) + drag * span;
  const float clamped = std::clamp(from, 0.0F, 1 - wanted);
  return {clamped, wanted >= 1 ? 1 : clamped + wanted};
}

}  // namespace duet::viz
