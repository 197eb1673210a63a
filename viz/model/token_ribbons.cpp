#include "viz/model/token_ribbons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace duet::viz {

namespace {

using trace::DropReason;
using trace::StepRecord;
using trace::TokenRoute;

// Of pair number `i` of a range, the part that is in sight.
Range part_of(Range seen, std::int64_t i) {
  const auto from = static_cast<double>(i);
  return {std::max(from, seen.from), std::min(from + 1, seen.to)};
}

class Tokens {
 public:
  Tokens(const StepRecord& step, std::size_t layer, const RoutingSpace& space, Hit pinned, Stop stop, float line)
      : step_(step), layer_(layer), space_(space), pinned_(pinned), stop_(stop), line_(line) {}

  Shapes draw() {
    const auto& slices = space_.slices;
    for (std::size_t from = 0; from < slices.size();) {
      std::size_t to = from;
      while (to < slices.size() && slices[to].flow.rank == slices[from].flow.rank) ++to;
      rank(from, to);
      from = to;
    }
    shapes_.insert(shapes_.end(), crosses_.begin(), crosses_.end());
    numbers();
    return std::move(shapes_);
  }

 private:
  // Walks through one rank's tokens, which are in the order of the exchange's rows for each expert, until all that is
  // in sight was met.
  void rank(std::size_t from, std::size_t to) {
    const auto* const layer = layer_of(step_, static_cast<std::size_t>(space_.slices[from].flow.rank), layer_);
    if (layer == nullptr) return;
    std::vector<const Slice*> slice_of(layer->tokens_per_expert.size(), nullptr);
    std::vector<std::int64_t> kept(slice_of.size(), 0), lost(slice_of.size(), 0);
    double left = 0;
    for (std::size_t i = from; i < to; ++i) {
      const auto& slice = space_.slices[i];
      slice_of[static_cast<std::size_t>(slice.flow.expert)] = &slice;
      left += slice.kept.size() + slice.lost.size();
    }
    for (const auto& route : layer->tokens) {
      if (left < 1e-6) return;
      for (std::size_t choice = 0; choice < std::min(route.expert.size(), route.reason.size()); ++choice) {
        const auto expert = static_cast<std::size_t>(route.expert[choice]);
        if (expert >= slice_of.size() || slice_of[expert] == nullptr) continue;
        const bool dropped = route.reason[choice] != DropReason::kept;
        auto& number = dropped ? lost[expert] : kept[expert];
        const auto& slice = *slice_of[expert];
        const auto part = part_of(dropped ? slice.lost : slice.kept, number++);
        if (part.empty()) continue;
        left -= part.size();
        pair(route, slice, part, dropped);
      }
    }
  }

  void pair(const TokenRoute& route, const Slice& slice, Range part, bool dropped) {
    const auto ends = ends_of(space_, slice, part, dropped);
    const Hit hit{Thing::token, slice.flow.rank, route.token};
    const bool faded = fades(pinned_, slice.flow);
    const float alpha = faded ? 0.12F : 0.6F, filled = 0.8F;
    auto band = dropped ? dropped_band(space_, ends, stop_, filled) : kept_band(space_, ends, filled);
    band.colour = {dropped ? Ink::dropped : Ink::expert, static_cast<int>(slice.flow.expert), alpha};
    band.hit = hit;
    band.pattern = dropped || faded ? 0 : pattern_of(slice.flow.expert);
    shapes_.push_back(band);
    if (dropped) {
      const float size = std::clamp(ends.left_height * 0.9F, 4.0F, line_ * 0.7F);
      const auto [x, y] = end_of(band);
      crosses_.push_back(cross_at({x + size * 0.6F, y}, size, hit, faded ? 0.3F : 1));
    }
    numbered_.emplace_back(ends.left + ends.left_height / 2, route.token);
  }

  void numbers() {
    constexpr float size = 0.85F;
    std::sort(numbered_.begin(), numbered_.end());
    float free = -1e30F;
    for (const auto& [y, token] : numbered_) {
      if (y - size * line_ / 2 < free) continue;
      free = y + size * line_ / 2;
      shapes_.push_back({.form = Form::text,
                         .box = {space_.body.x - 0.3F * line_, y - size * line_ / 2, 0, line_ * size},
                         .colour = {Ink::muted},
                         .text = std::to_string(token),
                         .size = size,
                         .align = Align::right});
    }
  }

  const StepRecord& step_;
  std::size_t layer_;
  const RoutingSpace& space_;
  Hit pinned_;
  Stop stop_;
  float line_;
  Shapes shapes_, crosses_;
  std::vector<std::pair<float, std::int64_t>> numbered_;  // middle, token
};

}  // namespace

Shapes lay_out_tokens(const StepRecord& tokens, std::size_t layer, const RoutingSpace& space, Hit pinned, Stop stop,
                      float line) {
  return Tokens(tokens, layer, space, pinned, stop, line).draw();
}

}  // namespace duet::viz
