#include "viz/model/routing_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace duet::viz {

namespace {

struct Label {
  float middle = 0;  ///< of what it names
  std::string text;
};

// Each at its place; where there are too many, every so many.
std::vector<std::pair<float, std::string>> placed(const std::vector<Label>& labels, Rect body, float line) {
  for (std::size_t every = 1; every <= labels.size(); ++every) {
    std::vector<float> wanted;
    for (std::size_t i = 0; i < labels.size(); i += every) wanted.push_back(labels[i].middle - line / 2);
    const auto at = spread(std::move(wanted), line, body.y - line / 2, body.bottom() + line / 2);
    if (at.empty()) continue;
    std::vector<std::pair<float, std::string>> result;
    for (std::size_t i = 0; i < at.size(); ++i) result.emplace_back(at[i], labels[i * every].text);
    return result;
  }
  return {};
}

std::vector<Label> rank_labels(const RoutingSpace& space, bool brief) {
  std::vector<Label> labels;
  for (std::size_t rank = 0; rank < space.left.boxes.size(); ++rank) {
    if (!space.left.shown[rank]) continue;
    const auto& box = space.left.boxes[rank];
    labels.push_back({box.y + box.height / 2,
                      fmt::format("{}{}: {:.0f}", brief ? "r" : "rank ", rank, std::ceil(space.left.pairs[rank]))});
  }
  return labels;
}

std::vector<Label> expert_labels(const RoutingSpace& space, bool brief) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < space.places.size(); ++i) {
    if (!space.right.shown[i]) continue;
    const auto& box = space.right.boxes[i];
    const auto& place = space.places[i];
    const auto pairs = std::ceil(space.right.pairs[i]);
    labels.push_back(
        {box.y + box.height / 2, brief ? fmt::format("E{}: {:.0f}, r{}", place.expert, pairs, place.rank)
                                       : fmt::format("E{}: {:.0f} on rank {}", place.expert, pairs, place.rank)});
  }
  return labels;
}

// One for all experts of a rank.
std::vector<Label> group_labels(const RoutingSpace& space, bool brief) {
  std::vector<Label> labels;
  const auto& boxes = space.right.boxes;
  for (std::size_t i = 0; i < space.places.size();) {
    std::size_t end = i, first = space.places.size(), last = 0;
    for (; end < space.places.size() && space.places[end].rank == space.places[i].rank; ++end) {
      if (!space.right.shown[end]) continue;
      first = std::min(first, end);
      last = end;
    }
    if (first <= last) {
      const auto experts = first == last
                               ? fmt::format("E{}", space.places[first].expert)
                               : fmt::format("E{}-E{}", space.places[first].expert, space.places[last].expert);
      labels.push_back({(boxes[first].y + boxes[last].bottom()) / 2,
                        fmt::format("{}{}{}", experts, brief ? ", r" : " on rank ", space.places[i].rank)});
    }
    i = end;
  }
  return labels;
}

Shape text_at(Point at, std::string words, Align align, Colour colour, float line) {
  return {.form = Form::text, .box = {at.x, at.y, 0, line}, .colour = colour, .text = std::move(words), .align = align};
}

}  // namespace

// By DejaVu Sans, which the viewer uses where it can.
float text_width(const std::string& text, float line) {
  float width = 0;
  for (const char c : text) {
    const bool narrow = std::string_view(" ijltfrI.,:;'()[]-").find(c) != std::string_view::npos;
    width += narrow ? 0.33F : c == 'm' || c == 'w' ? 0.82F : 0.55F;
  }
  return width * line;
}

std::vector<float> spread(std::vector<float> wanted, float pitch, float top, float bottom) {
  if (static_cast<float>(wanted.size()) * pitch > bottom - top) return {};
  float free = top;
  for (auto& y : wanted) {
    y = std::max(y, free);
    free = y + pitch;
  }
  free = bottom;
  for (std::size_t i = wanted.size(); i-- > 0;) {
    wanted[i] = std::min(wanted[i], free - pitch);
    free = wanted[i];
  }
  return wanted;
}

Shapes routing_labels(const RoutingSpace& space, bool brief, float indent, float line) {
  Shapes shapes;
  const auto& body = space.body;
  for (const auto& [y, words] : placed(rank_labels(space, brief), body, line)) {
    shapes.push_back(text_at({body.x - line * 0.5F - indent, y}, words, Align::right, {Ink::text}, line));
  }
  const auto each = expert_labels(space, brief);
  const bool room = static_cast<float>(each.size()) * line <= body.height + line;
  for (const auto& [y, words] : placed(room ? each : group_labels(space, brief), body, line)) {
    shapes.push_back(text_at({body.right() + line * 0.5F, y}, words, Align::left, {Ink::text}, line));
  }
  return shapes;
}

Shapes drop_marks(std::vector<DropMark> marks, const std::string& reason, float room, float line) {
  std::stable_sort(marks.begin(), marks.end(),
                   [](const DropMark& a, const DropMark& b) { return a.dropped > b.dropped; });
  Shapes shapes, texts;
  std::vector<float> taken_by_crosses, taken_by_texts;
  const auto is_free = [](const std::vector<float>& taken, float y, float pitch) {
    return std::all_of(taken.begin(), taken.end(), [&](float other) { return std::abs(other - y) >= pitch; });
  };
  const float size = line * 0.7F;
  for (const auto& mark : marks) {
    const float y = mark.at.y;
    if (!is_free(taken_by_crosses, y, line * 0.4F)) continue;
    taken_by_crosses.push_back(y);
    const float middle = mark.at.x + size * 0.6F;
    shapes.push_back({.form = Form::cross,
                      .box = {middle - size / 2, y - size / 2, size, size},
                      .colour = {Ink::dropped, 0, mark.faded ? 0.3F : 1},
                      .hit = mark.hit,
                      .size = 2});
    if (mark.faded || !is_free(taken_by_texts, y, line * 1.05F)) continue;
    auto words = fmt::format("{} dropped: {}", mark.dropped, reason);
    if (text_width(words, line) > room) words = fmt::format("{} dropped", mark.dropped);
    if (text_width(words, line) > room) words = fmt::format("{}", mark.dropped);
    if (text_width(words, line) > room) continue;
    taken_by_texts.push_back(y);
    const Point at{middle + size, y - line / 2};
    texts.push_back({.box = {at.x - 2, at.y, text_width(words, line) + 4, line}, .colour = {Ink::paper, 0, 0.65F}});
    texts.push_back(text_at(at, words, Align::left, {Ink::dropped}, line));
  }
  shapes.insert(shapes.begin(), texts.begin(), texts.end());
  return shapes;
}

}  // namespace duet::viz
