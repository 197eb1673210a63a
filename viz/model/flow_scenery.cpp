#include "viz/model/flow_scenery.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "viz/model/fit_text.h"

namespace duet::viz {

namespace {

// Neighbours with the same key on one line, as one span.
struct Run {
  Rect span;
  std::size_t row = 0;
};

template <typename Key>
std::vector<Run> runs(const std::vector<std::size_t>& rows, const std::vector<Rect>& at, const Key& key) {
  std::vector<Run> all;
  for (const auto row : rows) {
    const auto& box = at[row];
    const bool goes_on = !all.empty() && key(all.back().row) == key(row) && all.back().span.y == box.y;
    if (goes_on) {
      all.back().span.width = box.right() - all.back().span.x;
    } else {
      all.push_back({box, row});
    }
  }
  return all;
}

// How much room a run has for its label: up to the next one on its line.
float room_of(const std::vector<Run>& all, std::size_t i, float end) {
  const bool last = i + 1 == all.size() || all[i + 1].span.y != all[i].span.y;
  return (last ? end : all[i + 1].span.x) - all[i].span.x;
}

std::vector<std::size_t> in_sending_order(const FlowBatch& batch, int rank) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (batch.rows[i].rank == rank && batch.rows[i].kept()) rows.push_back(i);
  }
  std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return batch.rows[a].position < batch.rows[b].position; });
  return rows;
}

std::string gate_text(float gate) {
  const auto text = fmt::format("{:.2f}", gate);
  return text.starts_with("0.") ? text.substr(1) : text;
}

void add_note(Shapes& shapes, const FlowScene& scene, std::size_t i) {
  const auto& row = scene.batch.rows[i];
  const auto& home = scene.places.home[i];
  const float alpha = scene.faded(row) ? 0.25F : 1;
  const float height = scene.places.note_height;
  const bool lost = !row.kept() && scene.has(Stage::capacity);
  const TextStyle style{{lost ? Ink::dropped : Ink::text, 0, alpha}, Align::middle, 0.8F, scene.line};
  add_text(shapes, {home.x, home.bottom(), home.width, height}, {fmt::format("E{}", row.expert)}, style);
  const bool sum = scene.stage() == Stage::sum && scene.has(Stage::sum);
  const auto gate = lost && scene.has(Stage::sum) ? std::string("0") : (sum ? "x" : "") + gate_text(row.gate);
  add_text(shapes, {home.x, home.bottom() + height, home.width, height}, {gate}, style);
}

// Where an expert's rows stand, if they do: on its left or on its right.
const std::vector<Rect>* side_of(const FlowScene& scene) {
  switch (stage_of(scene.flow.stage - (scene.flow.progress < 0.5F ? 1 : 0))) {
    case Stage::dispatch:
    case Stage::expert_back:
      return &scene.places.in;
    case Stage::expert:
    case Stage::combine_back:
      return &scene.places.out;
    default:
      return nullptr;
  }
}

// Above the rows of an expert: the ranks that they came from.
void add_sources(Shapes& shapes, const FlowScene& scene, const FlowExpert& expert) {
  const auto* const side = side_of(scene);
  if (side == nullptr || stays(scene.batch)) return;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < scene.batch.rows.size(); ++i) {
    const auto& row = scene.batch.rows[i];
    if (row.kept() && row.owner == expert.rank && row.expert == expert.expert) rows.push_back(i);
  }
  const float end = side == &scene.places.in ? expert.bar.x : expert.strip.right();
  const float height = scene.places.note_height;
  const auto sources = runs(rows, *side, [&](std::size_t i) { return scene.batch.rows[i].rank; });
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto& span = sources[i].span;
    const auto source = scene.batch.rows[sources[i].row].rank;
    add_text(shapes, {span.x, span.y - height, room_of(sources, i, end), height},
             {fmt::format("from rank {}", source), fmt::format("from {}", source), fmt::format("r{}", source)},
             {{Ink::muted}, Align::left, 0.8F, scene.line});
  }
}

}  // namespace

void add_cells(Shapes& shapes, const FlowScene& scene) {
  for (const auto& cell : scene.places.cells) {
    shapes.push_back({.box = cell.box, .colour = {Ink::paper}});
    shapes.push_back({.form = Form::outline, .box = cell.box, .colour = {Ink::rule}});
    if (!scene.has(Stage::sum)) continue;
    const float foot = 0.4F * scene.places.unit;
    const Rect out{cell.box.x, cell.box.bottom() - foot, cell.box.width, foot};
    const bool any = std::any_of(scene.batch.rows.begin(), scene.batch.rows.end(), [&](const FlowRow& row) {
      return row.rank == cell.rank && row.token == cell.token && row.kept();
    });
    if (scene.has(Stage::loss)) {
      shapes.push_back({.form = Form::hatched, .box = out, .colour = {Ink::accent}});
    } else if (any) {
      shapes.push_back({.box = out, .colour = {Ink::accent}});
    }
    shapes.push_back({.form = Form::outline, .box = out, .colour = {Ink::accent}});
  }
}

void add_notes(Shapes& shapes, const FlowScene& scene) {
  if (!scene.has(Stage::route)) return;
  for (std::size_t i = 0; i < scene.batch.rows.size(); ++i) add_note(shapes, scene, i);
}

void add_plan_labels(Shapes& shapes, const FlowScene& scene) {
  if (!scene.has(Stage::plan)) return;
  const auto& batch = scene.batch;
  const float height = scene.places.note_height;
  const TextStyle style{{Ink::muted}, Align::left, 0.8F, scene.line};
  for (const auto& [rank, frame] : scene.places.columns) {
    if (rank < 0) continue;
    const auto rows = in_sending_order(batch, rank);
    const auto of_experts = runs(rows, scene.places.queue, [&](std::size_t i) { return batch.rows[i].expert; });
    for (std::size_t i = 0; i < of_experts.size(); ++i) {
      const auto& span = of_experts[i].span;
      add_text(shapes, {span.x, span.bottom(), room_of(of_experts, i, frame.right()), height},
               {fmt::format("E{}", batch.rows[of_experts[i].row].expert)}, style);
    }
    if (stays(batch)) continue;
    const auto of_ranks = runs(rows, scene.places.queue, [&](std::size_t i) { return batch.rows[i].owner; });
    for (std::size_t i = 0; i < of_ranks.size(); ++i) {
      const auto& span = of_ranks[i].span;
      const auto owner = batch.rows[of_ranks[i].row].owner;
      add_text(shapes, {span.x, span.y - height, room_of(of_ranks, i, frame.right()), height},
               {fmt::format("{} rank {}", owner == rank ? "stay on" : "to", owner), fmt::format("to {}", owner)},
               style);
      shapes.push_back(
          {.form = Form::line, .box = {span.x, span.y - 2, span.width, 0}, .colour = {Ink::muted}, .size = 1.5F});
    }
  }
}

void add_counts(Shapes& shapes, const FlowScene& scene) {
  if (scene.flow.stage < static_cast<int>(Stage::counts) || stays(scene.batch)) return;
  const bool now = scene.stage() == Stage::counts;
  const float unit = scene.places.unit, y = scene.places.parts.counts;
  const auto ink = now ? Ink::text : Ink::muted;
  const TextStyle caption{{now ? Ink::accent : Ink::muted}, Align::left, 0.85F, scene.line};
  for (const auto& [rank, frame] : scene.places.columns) {
    if (rank < 0) continue;
    const float label = std::min(5 * unit, (frame.width - unit) * 0.3F);
    add_text(shapes, {frame.x + 0.5F * unit, y, label, unit}, {"counts"}, caption);
    for (int source = 0; source < scene.batch.ranks(); ++source) {
      const Rect box{frame.x + 0.5F * unit, y + static_cast<float>(1 + source) * unit, label, unit};
      add_text(shapes, box, {fmt::format("from rank {}", source), fmt::format("from {}", source)},
               {{Ink::muted}, Align::left, 0.85F, scene.line});
    }
  }
  std::set<float> named;
  for (const auto& count : scene.places.counts) {
    const auto box = now ? between(count.from, count.at, scene.flow.progress) : count.at;
    const float chip = std::min(box.width * 0.95F, 2.5F * unit);
    if (named.insert(count.at.x).second) {
      add_text(shapes, {count.at.x, y, chip, unit}, {fmt::format("E{}", count.expert)},
               {{Ink::muted}, Align::middle, 0.85F, scene.line});
    }
    const Rect at{box.x, box.y + 0.05F * unit, chip, 0.9F * unit};
    shapes.push_back({.box = at, .colour = {Ink::expert, static_cast<int>(count.expert), now ? 0.35F : 0.15F}});
    add_text(shapes, at, {fmt::to_string(count.rows)}, {{ink}, Align::middle, 0.85F, scene.line});
  }
}

void add_strips(Shapes& shapes, const FlowScene& scene) {
  for (const auto& expert : scene.places.experts) {
    const auto& strip = expert.strip;
    shapes.push_back({.box = strip, .colour = {Ink::paper}});
    shapes.push_back({.form = Form::outline, .box = strip, .colour = {Ink::rule}});
    add_sources(shapes, scene, expert);
  }
}

// Over the ways that pass through them, so that their names stay whole.
void add_bars(Shapes& shapes, const FlowScene& scene) {
  for (const auto& [rank, expert, strip, bar, rows] : scene.places.experts) {
    const Colour colour{Ink::expert, static_cast<int>(expert)};
    shapes.push_back(
        {.box = bar, .colour = colour, .hit = {Thing::expert, rank, expert}, .pattern = pattern_of(expert)});
    const float height = std::min(bar.height, 1.1F * scene.line);
    const Rect name{bar.x, bar.y + (bar.height - height) / 2, bar.width, height};
    shapes.push_back({.box = name, .colour = colour});
    add_text(shapes, name, {fmt::format("E{}", expert)}, {{Ink::paper}, Align::middle, 1, scene.line});
  }
}

void add_norms(Shapes& shapes, const FlowScene& scene, const trace::StepRecord& step, std::size_t layer) {
  if (!scene.has(Stage::grad_sync)) return;
  for (const auto& expert : scene.places.experts) {
    const auto* const own = layer_of(step, static_cast<std::size_t>(expert.rank), layer);
    const auto local = own == nullptr ? std::int64_t{-1} : expert.expert - own->first_expert;
    if (own == nullptr || local < 0 || local >= std::ssize(own->expert_grad_norm)) continue;
    const auto norm = fmt::format("{:.3g}", own->expert_grad_norm[static_cast<std::size_t>(local)]);
    const float margin = 0.3F * scene.places.unit;
    const Rect room{expert.strip.x + margin, expert.strip.y, expert.bar.x - expert.strip.x - margin,
                    expert.strip.height};
    Shapes words;
    add_text(words, room, {"gradient's norm " + norm, "norm " + norm, norm},
             {{Ink::muted}, Align::left, 0.8F, scene.line});
    for (const auto& word : words) {  // the line from a copy of the expert to the next passes behind them
      const float width = std::min(room.width, 0.62F * scene.line * word.size * static_cast<float>(word.text.size()));
      shapes.push_back({.box = {room.x, word.box.y, width, word.box.height}, .colour = {Ink::paper}});
      shapes.push_back(word);
    }
  }
}

}  // namespace duet::viz
