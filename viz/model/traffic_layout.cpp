#include "viz/model/traffic_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "viz/model/routing_labels.h"
#include "viz/model/selection.h"

namespace duet::viz {

namespace {

using trace::Direction;

// The ranks of the event's group in its order: those whose events carry the same group and sequence.
std::vector<std::size_t> members(const trace::StepRecord& step, const trace::Event& event) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
    const auto& events = step.ranks[rank].events;
    if (std::any_of(events.begin(), events.end(), [&](const trace::Event& e) {
          return e.operation == event.operation && e.group == event.group && e.sequence == event.sequence;
        })) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

void add(const trace::StepRecord& step, std::size_t from, const trace::Event& event, Traffic& traffic) {
  const auto ranks = members(step, event);
  std::int64_t away = 0;
  for (std::size_t i = 0; i < std::min(ranks.size(), event.rows_to.size()); ++i) {
    if (ranks[i] != from) away += event.rows_to[i];
  }
  for (std::size_t i = 0; i < std::min(ranks.size(), event.rows_to.size()); ++i) {
    traffic.rows[from][ranks[i]] += event.rows_to[i];
    if (ranks[i] != from && away > 0) traffic.bytes[from][ranks[i]] += event.bytes * event.rows_to[i] / away;
  }
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{} kB", bytes / 1000);
  return fmt::format("{} MB", bytes / 1'000'000);
}

void matrix(Shapes& shapes, const Traffic& traffic, const char* title, Hit pinned, Rect rect, float line) {
  const auto text = [&](float x, float y, std::string words, Align align, Ink ink) {
    shapes.push_back(
        {.form = Form::text, .box = {x, y, 0, 0}, .colour = {ink}, .text = std::move(words), .align = align});
  };
  const auto ranks = traffic.rows.size();
  text(rect.x, rect.y, title, Align::left, Ink::text);
  if (ranks == 0) return;
  const float label = 4 * line;
  const float cell =
      std::min((rect.width - label) / static_cast<float>(ranks), (rect.height - 3 * line) / static_cast<float>(ranks));
  const Rect plot{rect.x + label, rect.y + 3 * line, cell, cell};
  std::int64_t most = 1;
  for (const auto& row : traffic.rows) most = std::max(most, *std::max_element(row.begin(), row.end()));
  const bool wide = cell > 2.4F * line;
  if (!wide) text(plot.x - 0.4F * line, plot.y - 1.2F * line, "to", Align::right, Ink::muted);
  const std::size_t every = cell > line ? 1 : static_cast<std::size_t>(line / cell) + 1;  // names that have room
  for (std::size_t from = 0; from < ranks; ++from) {
    const float y = plot.y + static_cast<float>(from) * cell;
    if (from % every == 0)
      text(plot.x - 0.4F * line, y + cell / 2 - line / 2, fmt::format("from {}", from), Align::right, Ink::muted);
    for (std::size_t to = 0; to < ranks; ++to) {
      const float x = plot.x + static_cast<float>(to) * cell;
      if (from == 0 && (wide || to % (2 * every) == 0))
        text(x + cell / 2, plot.y - 1.2F * line, fmt::format("{}{}", wide ? "to " : "", to), Align::middle, Ink::muted);
      const auto rows = traffic.rows[from][to];
      const float share = static_cast<float>(rows) / static_cast<float>(most);
      const Hit hit{Thing::cell, static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)};
      shapes.push_back(
          {.box = {x, y, cell - 2, cell - 2}, .colour = {Ink::accent, 0, 0.06F + 0.5F * share}, .hit = hit});
      if (cell < 3.2F * line) {  // the number alone, where it has room
        const auto number = fmt::to_string(rows);
        if (cell > 1.2F * line && text_width(number, line) < cell - 2)
          text(x + cell / 2 - 1, y + cell / 2 - line / 2, number, Align::middle, Ink::text);
        continue;
      }
      text(x + cell / 2, y + cell / 2 - line, fmt::format("{} rows", rows), Align::middle, Ink::text);
      text(x + cell / 2, y + cell / 2, from == to ? "stay" : bytes_text(traffic.bytes[from][to]), Align::middle,
           Ink::text);
    }
  }
  const auto chosen = selection_of(pinned).rank;
  if (!chosen || *chosen < 0 || *chosen >= static_cast<std::int64_t>(ranks)) return;
  const float all = cell * static_cast<float>(ranks) - 2, at = cell * static_cast<float>(*chosen);
  for (const Rect line_of : {Rect{plot.x, plot.y + at, all, cell - 2}, Rect{plot.x + at, plot.y, cell - 2, all}}) {
    shapes.push_back({.form = Form::outline, .box = line_of, .colour = {Ink::text}, .size = 2});
  }
}

}  // namespace

Traffic traffic_of(const trace::StepRecord& step, Direction direction) {
  const auto ranks = step.ranks.size();
  const std::vector<std::vector<std::int64_t>> zeros(ranks, std::vector<std::int64_t>(ranks, 0));
  Traffic traffic{zeros, zeros};
  for (std::size_t from = 0; from < ranks; ++from) {
    for (const auto& event : step.ranks[from].events) {
      if (event.operation != trace::Operation::all_to_all || event.direction != direction) continue;
      if (event.phase != trace::Phase::counts) add(step, from, event, traffic);
    }
  }
  return traffic;
}

Shapes lay_out_traffic(const trace::StepRecord& step, Hit pinned, Rect rect, float line) {
  Shapes shapes;
  const float half = rect.width / 2;
  matrix(shapes, traffic_of(step, Direction::forward), "forward: dispatch and combine", pinned,
         {rect.x, rect.y, half - line, rect.height}, line);
  matrix(shapes, traffic_of(step, Direction::backward), "backward: the same, the other way", pinned,
         {rect.x + half, rect.y, half - line, rect.height}, line);
  return shapes;
}

std::string tell_traffic(const trace::StepRecord& step, Hit hit) {
  const auto from = static_cast<std::size_t>(hit.a), to = static_cast<std::size_t>(hit.b);
  if (hit.thing != Thing::cell || from >= step.ranks.size() || to >= step.ranks.size()) return "";
  const auto forward = traffic_of(step, Direction::forward), backward = traffic_of(step, Direction::backward);
  if (from == to) {
    return fmt::format("rank {}: {} rows stay forward, {} backward", from, forward.rows[from][to],
                       backward.rows[from][to]);
  }
  return fmt::format("rank {} to rank {}: {} rows, {} bytes forward (dispatch and combine); {} rows, {} bytes backward",
                     from, to, forward.rows[from][to], forward.bytes[from][to], backward.rows[from][to],
                     backward.bytes[from][to]);
}

}  // namespace duet::viz
