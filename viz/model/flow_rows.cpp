#include "viz/model/flow_rows.h"

#include <fmt/format.h>

#include "viz/model/fit_text.h"

namespace duet::viz {

namespace {

enum class Look { plain, input, answer, gradient, done, dropped };

Look look_of(const FlowScene& scene, const FlowRow& row) {
  if (!row.kept() && scene.has(Stage::capacity)) return Look::dropped;
  if (scene.has(Stage::grad_sync)) return Look::done;
  if (scene.has(Stage::loss)) return Look::gradient;
  if (scene.has(Stage::expert)) return Look::answer;
  return scene.has(Stage::route) ? Look::input : Look::plain;
}

Point middle(const Rect& box) { return {box.x + box.width / 2, box.y + box.height / 2}; }

bool same(const Rect& a, const Rect& b) { return a.x == b.x && a.y == b.y; }

void add_way(Shapes& shapes, const Rect& from, const Rect& to, const Shape& like) {
  if (same(from, to)) return;
  const auto a = middle(from), b = middle(to);
  auto way = like;
  way.box = {a.x, a.y, b.x - a.x, b.y - a.y};
  shapes.push_back(std::move(way));
}

void add_ways_of(Shapes& shapes, const FlowScene& scene, std::size_t i) {
  const auto& row = scene.batch.rows[i];
  const bool outstanding = scene.pinned_here && !scene.faded(row);
  const float alpha = scene.faded(row) ? 0.07F : outstanding ? 1 : 0.4F;
  const auto colour =
      row.kept() ? Colour{Ink::expert, static_cast<int>(row.expert), alpha} : Colour{Ink::dropped, 0, alpha};
  const Shape like{.form = Form::line, .colour = colour, .size = outstanding ? 2.5F : 1.2F};
  const auto stage = scene.stage();
  const auto from = place_at(scene.places, scene.batch, i, stage_of(scene.flow.stage - 1));
  const auto now = place_on_the_way(scene.places, scene.batch, i, scene.flow);
  const auto& queue = scene.places.queue[i];
  const bool by_plan = row.kept() && (stage == Stage::combine_back || stage == Stage::dispatch_back);
  if (by_plan && scene.flow.progress >= 0.5F) {
    add_way(shapes, from, queue, like);
    add_way(shapes, queue, now, like);
  } else {
    add_way(shapes, from, now, like);
  }
}

Shape part(Form form, const Rect& box, Ink ink, int index, float alpha, float size = 1) {
  return {.form = form, .box = box, .colour = {ink, index, alpha}, .size = size};
}

void add_body(Shapes& shapes, const Rect& box, Look look, int expert, float alpha) {
  shapes.push_back(part(Form::box, box, Ink::paper, 0, alpha));
  switch (look) {
    case Look::plain:
      shapes.push_back(part(Form::box, box, Ink::muted, 0, 0.2F * alpha));
      return shapes.push_back(part(Form::outline, box, Ink::muted, 0, alpha));
    case Look::input:
      shapes.push_back(part(Form::box, box, Ink::expert, expert, 0.3F * alpha));
      return shapes.push_back(part(Form::outline, box, Ink::expert, expert, alpha, 1.5F));
    case Look::answer:
      return shapes.push_back(part(Form::box, box, Ink::expert, expert, alpha));
    case Look::gradient:
      shapes.push_back(part(Form::hatched, box, Ink::expert, expert, 0.5F * alpha));
      return shapes.push_back(part(Form::outline, box, Ink::expert, expert, alpha, 1.5F));
    case Look::done:
      return shapes.push_back(part(Form::outline, box, Ink::expert, expert, 0.6F * alpha));
    case Look::dropped:
      shapes.push_back(part(Form::outline, box, Ink::dropped, 0, alpha));
      return shapes.push_back(part(Form::cross, box, Ink::dropped, 0, 0.7F * alpha, 1.5F));
  }
}

void add_row(Shapes& shapes, const FlowScene& scene, std::size_t i) {
  const auto& row = scene.batch.rows[i];
  const auto box = place_on_the_way(scene.places, scene.batch, i, scene.flow);
  const float alpha = scene.faded(row) ? 0.18F : 1;
  const auto look = look_of(scene, row);
  add_body(shapes, box, look, static_cast<int>(row.expert), alpha);
  const auto ink = look == Look::answer ? Ink::paper : Ink::text;
  add_text(shapes, box, {fmt::to_string(row.token)}, {{ink, 0, alpha}, Align::middle, 0.9F, scene.line});
  auto frame = part(Form::outline, box, Ink::text, 0, scene.pinned_here && !scene.faded(row) ? 1.0F : 0.0F, 3);
  frame.hit = {Thing::token, row.rank, row.token};
  shapes.push_back(std::move(frame));  // also where it cannot be seen: what the pointer finds
}

// Where a row stood at home and in the plan: the gaps that it left and will come back to.
void add_ghosts(Shapes& shapes, const FlowScene& scene, std::size_t i) {
  const auto now = place_on_the_way(scene.places, scene.batch, i, scene.flow);
  const auto& home = scene.places.home[i];
  if (!same(now, home)) {
    shapes.push_back(part(Form::outline, home, Ink::rule, 0, 1));
    add_text(shapes, home, {fmt::to_string(scene.batch.rows[i].token)},
             {{Ink::muted, 0, 0.6F}, Align::middle, 0.9F, scene.line});
  }
  const auto& queue = scene.places.queue[i];
  if (scene.has(Stage::plan) && scene.batch.rows[i].kept() && !same(now, queue)) {
    shapes.push_back(part(Form::outline, queue, Ink::rule, 0, 1));
  }
}

}  // namespace

bool FlowScene::has(Stage wanted) const {
  const int reached = flow.stage - (flow.progress < 0.5F ? 1 : 0);
  return reached >= static_cast<int>(wanted);
}

void add_ways(Shapes& shapes, const FlowScene& scene) {
  const auto count = scene.batch.rows.size();
  for (std::size_t i = 0; i < count; ++i) add_ghosts(shapes, scene, i);
  for (const bool faded : {true, false}) {
    for (std::size_t i = 0; i < count; ++i) {
      if (scene.faded(scene.batch.rows[i]) == faded) add_ways_of(shapes, scene, i);
    }
  }
}

void add_rows(Shapes& shapes, const FlowScene& scene) {
  for (const bool faded : {true, false}) {
    for (std::size_t i = 0; i < scene.batch.rows.size(); ++i) {
      if (scene.faded(scene.batch.rows[i]) == faded) add_row(shapes, scene, i);
    }
  }
}

}  // namespace duet::viz
