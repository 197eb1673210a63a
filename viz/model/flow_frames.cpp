#include <fmt/format.h>

#include <algorithm>

#include "viz/model/fit_text.h"
#include "viz/model/flow_scenery.h"

namespace duet::viz {

namespace {

Rect router_box(const Rect& frame, float unit) {
  const float width = std::min(4.5F * unit, frame.width * 0.4F);
  return {frame.right() - width - 0.5F * unit, frame.y + 0.3F * unit, width, 1.2F * unit};
}

bool router_at_work(Stage stage) {
  return stage == Stage::route || stage == Stage::grad_sync || stage == Stage::optimizer;
}

struct Caption {
  float y = 0;
  std::vector<std::string> forms;
  bool at_work = false;
};

std::vector<Caption> captions(const FlowScene& scene) {
  const auto& parts = scene.places.parts;
  const auto stage = scene.stage();
  const auto is = [&](std::initializer_list<Stage> stages) {
    return std::count(stages.begin(), stages.end(), stage) > 0;
  };
  std::vector<Caption> all;
  all.push_back({parts.tokens,
                 {"tokens, at home", "tokens"},
                 is({Stage::tokens, Stage::route, Stage::sum, Stage::loss, Stage::dispatch_back})});
  if (scene.places.any_dropped) {
    std::string reason = "dropped";
    for (const auto& row : scene.batch.rows) {
      if (!row.kept()) reason = trace::name(row.reason);
    }
    std::replace(reason.begin(), reason.end(), '_', ' ');
    all.push_back({parts.dropped, {"dropped: " + reason, "dropped"}, is({Stage::capacity})});
  }
  all.push_back({parts.plan,
                 {"plan: kept rows in the order in which they are sent", "plan: rows in sending order", "plan"},
                 is({Stage::plan, Stage::combine})});
  const bool hides = scene.places.hidden_experts > 0;
  all.push_back({parts.experts,
                 hides ? std::vector<std::string>{"experts that get rows of these: in on the left, out on the right",
                                                  "experts that get rows", "experts"}
                       : std::vector<std::string>{"experts: rows go in on the left, answers come out on the right",
                                                  "experts: in left, out right", "experts"},
                 is({Stage::dispatch, Stage::expert, Stage::combine_back, Stage::expert_back})});
  return all;
}

void add_away(Shapes& shapes, const FlowScene& scene, const Rect& frame) {
  const float unit = scene.places.unit;
  const Rect title{frame.x + 0.5F * unit, frame.y + 0.3F * unit, frame.width - unit, 1.2F * unit};
  add_text(shapes, title,
           {fmt::format("ranks {} to {}", scene.batch.ranks(), scene.batch.ranks_in_all - 1),
            fmt::format("{} to {}", scene.batch.ranks(), scene.batch.ranks_in_all - 1)},
           {{Ink::text}, Align::left, 1, scene.line});
  std::int64_t gone = 0;
  for (int rank = 0; rank < scene.batch.ranks(); ++rank) gone += scene.batch.rows_between(rank, -1);
  add_text(shapes, {title.x, scene.places.parts.tokens, title.width, unit},
           {fmt::format("{} rows go there", gone), fmt::format("{} rows", gone), fmt::to_string(gone)},
           {{Ink::muted}, Align::left, 0.85F, scene.line});
}

}  // namespace

void add_frames(Shapes& shapes, const FlowScene& scene) {
  const float unit = scene.places.unit;
  for (const auto& [rank, frame] : scene.places.columns) {
    shapes.push_back({.box = frame, .colour = {Ink::card}});
    shapes.push_back({.form = Form::outline, .box = frame, .colour = {Ink::rule}});
    if (rank < 0) {
      add_away(shapes, scene, frame);
      continue;
    }
    const auto router = router_box(frame, unit);
    const bool at_work = router_at_work(scene.stage());
    const Rect title{frame.x + 0.5F * unit, frame.y + 0.3F * unit, router.x - frame.x - unit, 1.2F * unit};
    const auto r = static_cast<std::size_t>(rank);
    shapes.push_back({.box = title, .colour = {Ink::card}, .hit = {Thing::rank, rank, 0}});
    add_text(shapes, title,
             {fmt::format("rank {}: {} of {} tokens", rank, scene.batch.tokens_shown[r], scene.batch.tokens_in_all[r]),
              fmt::format("rank {}", rank)},
             {{Ink::text}, Align::left, 1, scene.line});
    shapes.push_back(
        {.form = at_work ? Form::box : Form::outline, .box = router, .colour = {at_work ? Ink::accent : Ink::muted}});
    add_text(shapes, router, {"router"}, {{at_work ? Ink::paper : Ink::muted}, Align::middle, 0.85F, scene.line});
    for (const auto& caption : captions(scene)) {
      const Rect box{frame.x + 0.5F * unit, caption.y, frame.width - unit, unit};
      add_text(shapes, box, caption.forms,
               {{caption.at_work ? Ink::accent : Ink::muted}, Align::left, 0.85F, scene.line});
    }
  }
}

void add_averaging(Shapes& shapes, const FlowScene& scene) {
  if (scene.stage() != Stage::grad_sync || scene.batch.ranks_in_all < 2) return;
  const float grown = scene.flow.progress;
  const auto link = [&](const Rect& a, const Rect& b) {
    const Point from{a.right(), a.y + a.height / 2}, to{b.x, b.y + b.height / 2};
    shapes.push_back({.form = Form::line,
                      .box = {from.x, from.y, (to.x - from.x) * grown, (to.y - from.y) * grown},
                      .colour = {Ink::accent},
                      .size = 3});
  };
  // Below the titles of the ranks, from router to router.
  float left = 0, right = 0, y = 0;
  for (const auto& [rank, frame] : scene.places.columns) {
    if (rank < 0) continue;
    const auto router = router_box(frame, scene.places.unit);
    const float x = router.x + router.width / 2;
    y = router.bottom() + 0.2F * scene.places.unit;
    left = rank == 0 ? x : left;
    right = x;
    shapes.push_back(
        {.form = Form::line, .box = {x, router.bottom(), 0, y - router.bottom()}, .colour = {Ink::accent}, .size = 3});
  }
  shapes.push_back(
      {.form = Form::line, .box = {left, y, (right - left) * grown, 0}, .colour = {Ink::accent}, .size = 3});
  const auto& experts = scene.places.experts;
  for (std::size_t i = 0; i < experts.size(); ++i) {
    const auto next = std::find_if(experts.begin() + static_cast<std::ptrdiff_t>(i) + 1, experts.end(),
                                   [&](const FlowExpert& other) { return other.expert == experts[i].expert; });
    if (next != experts.end()) link(experts[i].bar, next->bar);
  }
}

}  // namespace duet::viz
