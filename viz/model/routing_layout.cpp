#include "viz/model/routing_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/routing_bands.h"
#include "viz/model/routing_labels.h"
#include "viz/model/token_path.h"
#include "viz/model/token_ribbons.h"

namespace duet::viz {

namespace {

using trace::StepRecord;

constexpr std::size_t many_ribbons = 100;

class Picture {
 public:
  Picture(const StepRecord& step, const RoutingView& view, Rect rect, float line)
      : step_(step), view_(view), rect_(rect), line_(line), flows_(flows_of(step, view.layer)) {
    pinned_ = settled(view.pinned, flows_);
    brief_ = rect.width < 34 * line;
    space_ = space_of(flows_);
    singles_ = view.tokens != nullptr && !view.zoom.all() && space_.left.scale >= single_pair_height &&
               has_tokens(*view.tokens, view.layer);
    // So many drops would hide where the rest goes.
    crowded_ = space_.slices.size() > many_ribbons && !singles_;
    if (crowded_) stop_ = {0.14F, 0.05F};
  }

  Shapes draw() {
    title();
    if (pinned_.thing == Thing::token && view_.tokens != nullptr) {
      path_ = path_of(*view_.tokens, view_.layer, pinned_.a, pinned_.b);
    }
    Shapes way;
    if (path_) way = lay_out_token_path(*path_, space_, stop_, line_);
    if (pinned_.thing == Thing::token && way.empty()) pinned_ = {};
    if (singles_) {
      add(lay_out_tokens(*view_.tokens, view_.layer, space_, pinned_, stop_, line_));
    } else {
      ribbons();
    }
    if (view_.ghost != nullptr) ghost();
    add(way);
    boxes();
    add(routing_labels(space_, brief_, singles_ ? token_numbers() : 0, line_));
    sum();
    return std::move(shapes_);
  }

 private:
  float token_numbers() const { return 3 * line_; }

  RoutingSpace space_of(const std::vector<Flow>& flows) const {
    const Rect body = routing_body(rect_, line_);
    const float left = (brief_ ? 5.0F : 8.5F) * line_ + (view_.zoom.all() ? 0 : token_numbers());
    const float right = (brief_ ? 7.0F : 11.0F) * line_;
    return routing_space(flows, step_.ranks.size(), view_.zoom,
                         {body.x + left, body.y, std::max(4 * line_, body.width - left - right), body.height}, line_);
  }

  void add(const Shapes& more) { shapes_.insert(shapes_.end(), more.begin(), more.end()); }

  void text(Point at, std::string words, Align align, Colour colour) {
    shapes_.push_back({.form = Form::text,
                       .box = {at.x, at.y, 0, line_},
                       .colour = colour,
                       .text = std::move(words),
                       .align = align});
  }

  void title() {
    const auto& body = space_.body;
    const float y = rect_.y + 0.2F * line_;
    const auto words = heading();
    const float end = body.x + space_.box_width;
    const bool fits = rect_.x + text_width(words, line_) <= end;
    text({fits ? end : rect_.x, y}, words, fits ? Align::right : Align::left, {Ink::muted});
    text({body.right() - space_.box_width, y}, view_.zoom.all() || brief_ ? "experts" : "experts: in sight",
         Align::left, {Ink::muted});
  }

  // The numbers below it are of pairs: where a token has several choices, it counts several times.
  std::string heading() const {
    std::int64_t tokens = 0;
    for (std::size_t rank = 0; rank < step_.ranks.size(); ++rank) {
      if (const auto* const own = layer_of(step_, rank, view_.layer)) tokens += own->token_count;
    }
    const auto choices = tokens == 0 ? 1 : total_of(flows_).pairs / tokens;
    const std::string of = brief_ ? "tokens" : "tokens of rank";
    return choices < 2 ? of : fmt::format("{} x {}{}", of, choices, brief_ ? "" : " choices");
  }

  const char* reason() const {
    for (const auto& slice : space_.slices) {
      if (slice.flow.dropped == 0) continue;
      return words_of(layer_of(step_, static_cast<std::size_t>(slice.flow.rank), view_.layer)->drop_reason);
    }
    return "";
  }

  // What arrives is one band; what is dropped leaves it half way and ends at a cross.
  void ribbons() {
    Shapes drops;
    std::vector<DropMark> marks;
    for (const auto& slice : space_.slices) {
      const auto& flow = slice.flow;
      const bool faded = fades(pinned_, flow);
      const float alpha = faded ? 0.12F : 0.55F;
      if (!slice.kept.empty()) {
        auto band = kept_band(space_, ends_of(space_, slice, slice.kept, false));
        band.colour = {Ink::expert, static_cast<int>(flow.expert), alpha};
        band.hit = {Thing::ribbon, flow.rank, flow.expert};
        band.pattern = faded ? 0 : pattern_of(flow.expert);
        shapes_.push_back(band);
      }
      if (slice.lost.empty()) continue;
      auto band = dropped_band(space_, ends_of(space_, slice, slice.lost, true), stop_);
      band.colour = {Ink::dropped, 0, alpha * 0.8F};
      band.hit = {Thing::drop, flow.rank, flow.expert};
      drops.push_back(band);
      marks.push_back({end_of(band), static_cast<std::int64_t>(std::ceil(slice.lost.size())), band.hit, faded});
    }
    add(drops);  // over the ribbons, which would hide them
    if (crowded_) marks = marks_of_ranks(marks);
    const float room = (space_.body.width - 2 * space_.box_width) * (1 - stop_.share) - 2 * line_;
    add(drop_marks(std::move(marks), reason(), room, line_));
  }

  // All that a rank's pairs were dropped, as one mark beside it.
  std::vector<DropMark> marks_of_ranks(const std::vector<DropMark>& each) const {
    std::vector<DropMark> marks;
    for (const auto& mark : each) {
      if (marks.empty() || marks.back().hit.a != mark.hit.a) {
        const auto& box = space_.left.boxes[static_cast<std::size_t>(mark.hit.a)];
        marks.push_back({{mark.at.x, box.y + box.height / 2}, 0, {Thing::rank, mark.hit.a, 0}, true});
      }
      marks.back().dropped += mark.dropped;
      marks.back().faded = marks.back().faded && mark.faded;
    }
    return marks;
  }

  // The same pairs, so the same boxes; only where each flow divides into kept and dropped is another place.
  void ghost() {
    for (const auto& slice : space_of(flows_of(*view_.ghost, view_.layer)).slices) {
      const auto ends = ends_of(space_, slice, slice.lost, true);
      if (slice.lost.empty() || (crowded_ && ends.left_height < 2)) continue;  // thousands of lines would be a blot
      auto band = dropped_band(space_, ends, stop_);
      band.form = Form::edge;
      band.colour = {Ink::text, 0, fades(pinned_, slice.flow) ? 0.25F : 0.8F};
      band.size = 1.2F;
      shapes_.push_back(band);
    }
  }

  void boxes() {
    for (std::size_t rank = 0; rank < space_.left.boxes.size(); ++rank) {
      if (!space_.left.shown[rank]) continue;
      const Hit hit{Thing::rank, static_cast<std::int64_t>(rank), 0};
      box(space_.left.boxes[rank], {Ink::muted}, hit, 0);
    }
    for (std::size_t i = 0; i < space_.places.size(); ++i) {
      if (!space_.right.shown[i]) continue;
      const auto& place = space_.places[i];
      box(space_.right.boxes[i], {Ink::expert, static_cast<int>(place.expert)},
          {Thing::expert, place.rank, place.expert}, pattern_of(place.expert));
    }
  }

  // What nobody chose is a line.
  void box(Rect where, Colour colour, Hit hit, int pattern) {
    const float least = std::min(where.height, 1.0F);
    if (where.height < 1) {
      where.y = std::min(where.y, space_.body.bottom() - 1);
      where.height = 1;
    }
    if (least < 1) colour.alpha = 0.7F;
    shapes_.push_back({.box = where, .colour = colour, .hit = hit, .pattern = pattern});
    if (pinned_ == hit) {
      shapes_.push_back({.form = Form::outline, .box = where, .colour = {Ink::text}, .size = 2});
    }
  }

  // Below the picture: how many were dropped in all, and what is in sight.
  void sum() {
    const auto [pairs, dropped] = total_of(flows_);
    std::vector<std::string> words;
    const auto sight = view_.zoom.all() ? ""
                                        : fmt::format("pairs {:.0f} to {:.0f} of {}; F shows all",
                                                      std::floor(view_.zoom.from * static_cast<float>(pairs)),
                                                      std::ceil(view_.zoom.to * static_cast<float>(pairs)) - 1, pairs);
    const auto lost = dropped == 0 ? fmt::format("none of {} pairs dropped", pairs)
                                   : fmt::format("{} of {} pairs dropped: {}", dropped, pairs, reason());
    const auto takes = dropped == 0 || step_.capacity < 0
                           ? ""
                           : fmt::format("; an expert takes {} of {} pairs", step_.capacity,
                                         capacity_is_of_a_rank(flows_, step_.capacity) ? "a rank's" : "all");
    if (view_.zoom.all()) {
      words = {lost + takes, lost};
    } else {
      words = {sight + "; " + lost + takes, sight + "; " + lost, sight};
    }
    if (path_ && pinned_.thing == Thing::none) {
      words.insert(words.begin(), fmt::format("token {} is out of sight; F shows all", path_->route->token));
    }
    for (const auto& one : words) {
      if (text_width(one, line_) > rect_.width) continue;
      return text({rect_.x + rect_.width / 2, rect_.bottom() - line_}, one, Align::middle, {Ink::muted});
    }
  }

  const StepRecord& step_;
  RoutingView view_;
  Rect rect_;
  float line_;
  std::vector<Flow> flows_;
  Hit pinned_;
  bool brief_ = false;
  bool singles_ = false;
  bool crowded_ = false;
  RoutingSpace space_;
  Stop stop_;
  std::optional<TokenPath> path_;
  Shapes shapes_;
};

}  // namespace

Rect routing_body(Rect rect, float line) {
  const float above = std::min(2 * line, rect.height / 4), below = std::min(1.6F * line, rect.height / 4);
  return {rect.x, rect.y + above, rect.width, rect.height - above - below};
}

Shapes lay_out_routing(const StepRecord& step, const RoutingView& view, Rect rect, float line) {
  return Picture(step, view, rect, line).draw();
}

}  // namespace duet::viz
