#include "viz/model/routing_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace duet::viz {

namespace {

using trace::StepRecord;

// A column of boxes, one a key, as high as its pairs, with gaps between.
struct Column {
  std::vector<Rect> boxes;
  std::vector<float> used;  // from each box's top, by ribbons so far
};

Column stack(const std::vector<std::int64_t>& pairs, Rect rect, float gap) {
  const auto total = std::max<std::int64_t>(1, std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0}));
  const auto gaps = gap * static_cast<float>(pairs.empty() ? 0 : pairs.size() - 1);
  const float scale = std::max(0.0F, rect.height - gaps) / static_cast<float>(total);
  Column column;
  float y = rect.y;
  for (const auto one : pairs) {
    const float height = static_cast<float>(one) * scale;
    column.boxes.push_back({rect.x, y, rect.width, height});
    y += height + gap;
  }
  column.used.assign(pairs.size(), 0);
  return column;
}

// The next `share` of a box, from its top.
Rect take(Column& column, std::size_t i, std::int64_t pairs, std::int64_t of) {
  const auto& box = column.boxes[i];
  const float height = of == 0 ? 0 : box.height * static_cast<float>(pairs) / static_cast<float>(of);
  const Rect part{box.x, box.y + column.used[i], box.width, height};
  column.used[i] += height;
  return part;
}

class Picture {
 public:
  Picture(const StepRecord& step, const RoutingView& view, Rect rect, float line)
      : step_(step), view_(view), rect_(rect), line_(line), flows_(flows_of(step, view.layer)) {}

  Shapes draw() {
    const float margin = 9 * line_;  // for the labels on both sides
    const float gap = std::min(line_, rect_.height / 40);
    const float width = line_ * 0.7F;
    const Rect body{rect_.x, rect_.y + 2 * line_, rect_.width, rect_.height - 3 * line_};
    places_ = places_of(flows_);
    const auto rank_pairs = pairs_of_ranks(flows_, step_.ranks.size());
    std::vector<std::int64_t> place_pairs;
    for (const auto& place : places_) place_pairs.push_back(place.pairs);
    left_ = stack(rank_pairs, {body.x + margin, body.y, width, body.height}, gap);
    right_ = stack(place_pairs, {body.right() - margin - width, body.y, width, body.height}, gap);
    title(body, margin, width);
    for (const auto& flow : flows_) ribbon(flow, rank_pairs);
    shapes_.insert(shapes_.end(), drops_.begin(), drops_.end());  // over the ribbons, which would hide them
    ranks(rank_pairs);
    experts();
    return std::move(shapes_);
  }

 private:
  void title(Rect body, float margin, float width) {
    text({body.x + margin + width, body.y - 1.6F * line_}, "tokens of rank", Align::right, Ink::muted);
    text({body.right() - margin - width, body.y - 1.6F * line_}, "experts", Align::left, Ink::muted);
  }

  Shape label(Point at, std::string words, Align align, Ink ink) const {
    return {
        .form = Form::text, .box = {at.x, at.y, 0, line_}, .colour = {ink}, .text = std::move(words), .align = align};
  }

  void text(Point at, std::string words, Align align, Ink ink) {
    shapes_.push_back(label(at, std::move(words), align, ink));
  }

  bool faded(const Flow& flow) const {
    const auto& pin = view_.pinned;
    if (pin.thing == Thing::rank) return pin.a != flow.rank;
    if (pin.thing == Thing::expert) return pin.b != flow.expert || pin.a != flow.owner;
    if (pin.thing == Thing::ribbon || pin.thing == Thing::drop) return pin.a != flow.rank || pin.b != flow.expert;
    return false;
  }

  // What arrives is one band; what is dropped leaves it half way and ends at a cross.
  void ribbon(const Flow& flow, const std::vector<std::int64_t>& rank_pairs) {
    if (flow.pairs == 0) return;
    const auto place = static_cast<std::size_t>(
        std::find_if(places_.begin(), places_.end(),
                     [&](const Place& p) { return p.rank == flow.owner && p.expert == flow.expert; }) -
        places_.begin());
    const auto rank = static_cast<std::size_t>(flow.rank);
    const float alpha = faded(flow) ? 0.12F : 0.55F;
    const auto kept = flow.pairs - flow.dropped;
    const Rect from = take(left_, rank, kept, rank_pairs[rank]);
    const Rect to = take(right_, place, kept, places_[place].pairs);
    const float x = from.right();
    const float width = to.x - x;
    const int colour = static_cast<int>(flow.expert);
    shapes_.push_back({.form = Form::band,
                       .box = {x, from.y, width, from.height},
                       .end = {to.x, to.y, 0, to.height},
                       .colour = {Ink::expert, colour, alpha},
                       .hit = {Thing::ribbon, flow.rank, flow.expert}});
    if (flow.dropped == 0) return;
    const Rect lost = take(left_, rank, flow.dropped, rank_pairs[rank]);
    take(right_, place, flow.dropped, places_[place].pairs);  // the room that they would have taken stays empty
    const float stop = width * 0.42F;
    const float drift = (to.bottom() - lost.y) * 0.3F;
    const Hit hit{Thing::drop, flow.rank, flow.expert};
    drops_.push_back({.form = Form::band,
                      .box = {x, lost.y, stop, lost.height},
                      .end = {x + stop, lost.y + drift, 0, lost.height},
                      .colour = {Ink::dropped, 0, alpha * 0.8F},
                      .hit = hit});
    const float size = line_ * 0.7F;
    const Point middle{x + stop + size * 0.6F, lost.y + drift + lost.height / 2};
    drops_.push_back({.form = Form::cross,
                      .box = {middle.x - size / 2, middle.y - size / 2, size, size},
                      .colour = {Ink::dropped, 0, faded(flow) ? 0.3F : 1},
                      .hit = hit,
                      .size = 2});
    const auto* const word = to.x - middle.x > 9 * line_ ? " dropped" : "";
    drops_.push_back(label({middle.x + size, middle.y - line_ / 2}, fmt::format("{}{}", flow.dropped, word),
                           Align::left, Ink::dropped));
  }

  void ranks(const std::vector<std::int64_t>& pairs) {
    for (std::size_t rank = 0; rank < pairs.size(); ++rank) {
      const auto& box = left_.boxes[rank];
      shapes_.push_back({.box = box, .colour = {Ink::muted}, .hit = {Thing::rank, static_cast<std::int64_t>(rank), 0}});
      text({box.x - line_ * 0.5F, box.y + box.height / 2 - line_ / 2}, fmt::format("rank {}: {}", rank, pairs[rank]),
           Align::right, Ink::text);
    }
  }

  void experts() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto& place = places_[i];
      const auto& box = right_.boxes[i];
      const Hit hit{Thing::expert, place.rank, place.expert};
      const int colour = static_cast<int>(place.expert);
      shapes_.push_back({.box = box, .colour = {Ink::expert, colour}, .hit = hit});
      if (place.expert % 2 == 1)
        shapes_.push_back({.form = Form::hatched, .box = box, .colour = {Ink::paper, 0, 0.6F}});
      text({box.right() + line_ * 0.5F, box.y + box.height / 2 - line_ / 2},
           fmt::format("E{}: {} on rank {}", place.expert, place.pairs, place.rank), Align::left, Ink::text);
    }
  }

  const StepRecord& step_;
  RoutingView view_;
  Rect rect_;
  float line_;
  std::vector<Flow> flows_;
  std::vector<Place> places_;
  Column left_, right_;
  Shapes shapes_, drops_;
};

}  // namespace

Shapes lay_out_routing(const StepRecord& step, const RoutingView& view, Rect rect, float line) {
  return Picture(step, view, rect, line).draw();
}

std::string tell_routing(const StepRecord& step, std::size_t layer, Hit hit) {
  const auto flows = flows_of(step, layer);
  std::int64_t pairs = 0, dropped = 0;
  const bool of_rank = hit.thing == Thing::rank, of_expert = hit.thing == Thing::expert;
  for (const auto& flow : flows) {
    const bool counts = of_rank     ? flow.rank == hit.a
                        : of_expert ? flow.owner == hit.a && flow.expert == hit.b
                                    : flow.rank == hit.a && flow.expert == hit.b;
    if (!counts) continue;
    pairs += flow.pairs;
    dropped += flow.dropped;
  }
  const auto lost = dropped == 0
                        ? std::string("none dropped")
                        : fmt::format("{} dropped: {}", dropped, trace::name(layer_of(step, 0, layer)->drop_reason));
  switch (hit.thing) {
    case Thing::rank:
      return fmt::format("rank {} has {} pairs (token, choice); {}", hit.a, pairs, lost);
    case Thing::expert:
      return fmt::format("expert {} on rank {} was chosen {} times; {}", hit.b, hit.a, pairs, lost);
    case Thing::ribbon:
    case Thing::drop:
      return fmt::format("rank {} chose expert {} (on rank {}) {} times; {}", hit.a, hit.b,
                         owner_of(step, layer, static_cast<int>(hit.a), hit.b), pairs, lost);
    default:
      return "";
  }
}

}  // namespace duet::viz
