#include <fmt/format.h>

#include <algorithm>

#include "viz/model/routing_labels.h"
#include "viz/model/token_ribbons.h"

namespace duet::viz {

namespace {

const Slice* slice_of(const RoutingSpace& space, int rank, std::int64_t expert) {
  for (const auto& slice : space.slices) {
    if (slice.flow.rank == rank && slice.flow.expert == expert) return &slice;
  }
  return nullptr;
}

// A band's middle at `t` of its way.
Point on(const Shape& band, float t) {
  const float s = t * t * (3 - 2 * t);
  const float from = band.box.y + band.box.height / 2, to = band.end.y + band.end.height / 2;
  return {band.box.x + band.box.width * t, from + (to - from) * s};
}

class TokenWay {
 public:
  TokenWay(const TokenPath& path, const RoutingSpace& space, Stop stop, float line)
      : path_(path), space_(space), stop_(stop), line_(line), hit_{Thing::token, path.rank, path.route->token} {}

  Shapes draw() {
    for (const auto& pair : path_.pairs) {
      const auto* const slice = slice_of(space_, path_.rank, pair.expert);
      if (slice == nullptr) continue;
      const auto& seen = pair.dropped() ? slice->lost : slice->kept;
      const auto from = static_cast<double>(pair.place);
      const Range part{std::max(from, seen.from), std::min(from + 1, seen.to)};
      if (part.empty()) continue;
      auto ends = ends_of(space_, *slice, part, pair.dropped());
      thicken(ends.left, ends.left_height);
      thicken(ends.right, ends.right_height);
      pair.dropped() ? stops(pair, ends) : goes(pair, ends);
    }
    shapes_.insert(shapes_.end(), words_.begin(), words_.end());
    return std::move(shapes_);
  }

 private:
  // So that one of thousands is seen.
  static void thicken(float& y, float& height) {
    constexpr float least = 3;
    if (height >= least) return;
    y -= (least - height) / 2;
    height = least;
  }

  void goes(const PairPath& pair, const Ends& ends) {
    auto out = kept_band(space_, ends);
    out.colour = {Ink::expert, static_cast<int>(pair.expert)};
    out.hit = hit_;
    out.pattern = pattern_of(pair.expert);
    shapes_.push_back(out);
    auto back = out;  // below it, as a thin line
    const float shift = 0.3F * line_;
    back.box.y = std::min(out.box.y + out.box.height + shift, space_.body.bottom() - 2);
    back.end.y = std::min(out.end.y + out.end.height + shift, space_.body.bottom() - 2);
    back.box.height = back.end.height = 2;
    back.colour = {Ink::text};
    back.pattern = 0;
    shapes_.push_back(back);
    arrow(on(out, 0.62F), 1, {Ink::text});
    arrow(on(back, 0.38F), -1, {Ink::text});
    // Beside a falling way there is room above to its right and below to its left; beside a rising one the other way.
    const bool falls = ends.right >= ends.left;
    say(on(out, 0.68F), fmt::format("row {} to E{}", pair.place, pair.expert), -1, falls);
    say(on(back, 0.32F), fmt::format("back x {:.2f}", pair.gate), 1, !falls);
  }

  void stops(const PairPath& pair, const Ends& ends) {
    auto band = dropped_band(space_, ends, stop_);
    band.colour = {Ink::dropped};
    band.hit = hit_;
    shapes_.push_back(band);
    const auto [x, y] = end_of(band);
    shapes_.push_back(cross_at({x + 0.5F * line_, y}, 0.8F * line_, hit_, 1));
    say({x + 1.2F * line_, y}, fmt::format("to E{}: {}", pair.expert, words_of(pair.reason)), 0, true);
  }

  void arrow(Point tip, float direction, Colour colour) {
    const float size = 0.35F * line_;
    for (const float side : {-1.0F, 1.0F}) {
      shapes_.push_back({.form = Form::line,
                         .box = {tip.x - direction * size, tip.y + side * size, direction * size, -side * size},
                         .colour = colour,
                         .size = 2});
    }
  }

  // Above (-1) or below (1) a point, or at it, to its right or its left; inside the picture, and not over what was said
  // before.
  void say(Point at, std::string text, int side, bool to_the_right) {
    const float width = text_width(text, line_);
    const float y = at.y + static_cast<float>(side) * 0.9F * line_ - line_ / 2;
    const auto& body = space_.body;
    Rect room{to_the_right ? at.x : at.x - width, std::max(y, body.y - 1.1F * line_), width, line_};
    room.y = std::min(room.y, std::max(body.y, body.bottom() - 0.5F * line_));
    room.x = std::clamp(room.x, body.x + space_.box_width,
                        std::max(body.x + space_.box_width, body.right() - space_.box_width - width));
    for (const auto& other : taken_) {
      if (room.x < other.right() && other.x < room.right() && room.y < other.bottom() && other.y < room.bottom())
        return;
    }
    taken_.push_back(room);
    words_.push_back({.box = {room.x - 2, room.y, width + 4, line_}, .colour = {Ink::paper, 0, 0.8F}});
    words_.push_back({.form = Form::text, .box = room, .colour = {Ink::text}, .text = std::move(text)});
  }

  const TokenPath& path_;
  const RoutingSpace& space_;
  Stop stop_;
  float line_;
  Hit hit_;
  Shapes shapes_, words_;
  std::vector<Rect> taken_;
};

}  // namespace

Shapes lay_out_token_path(const TokenPath& path, const RoutingSpace& space, Stop stop, float line) {
  return TokenWay(path, space, stop, line).draw();
}

}  // namespace duet::viz
