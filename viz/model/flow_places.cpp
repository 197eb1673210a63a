#include "viz/model/flow_places.h"

#include <algorithm>
#include <cmath>

#include "viz/model/flow_measure.h"

namespace duet::viz {

namespace {

// From a measure that fits to the places on the screen.
class Placer {
 public:
  Placer(const FlowBatch& batch, const FlowMeasure& measure, Rect rect) : batch_(batch), m_(measure), rect_(rect) {}

  FlowPlaces place() {
    p_.unit = m_.unit;
    p_.note_height = m_.note;
    p_.any_dropped = m_.heights.dropped > 0;
    p_.hidden_experts = m_.hidden_experts;
    set_parts();
    for (auto* const all : {&p_.home, &p_.queue, &p_.in, &p_.out}) {
      all->assign(batch_.rows.size(), {rect_.x, rect_.y, 0, 0});
    }
    for (int rank = 0; rank < batch_.ranks(); ++rank) put_rank(rank);
    if (m_.away) put_away();
    for (int rank = 0; rank < batch_.ranks(); ++rank) put_counts(rank);
    return std::move(p_);
  }

 private:
  float frame_x(int rank) const { return rect_.x + static_cast<float>(rank) * (m_.column + m_.pad); }
  Rect box_at(float x, float y, Point at) const { return {x + at.x, y + at.y, m_.box_width, m_.box_height}; }

  // What height is left over becomes gaps between the parts.
  void set_parts() {
    const auto& h = m_.heights;
    const float gaps = 2.0F + (h.dropped > 0 ? 1.0F : 0) + (h.counts > 0 ? 1.0F : 0);
    const float gap = std::max(0.0F, rect_.height - m_.total_height()) / gaps;
    auto& parts = p_.parts;
    parts.tokens = rect_.y + m_.header();
    parts.dropped = parts.tokens + h.tokens + gap;
    parts.plan = parts.dropped + h.dropped + (h.dropped > 0 ? gap : 0);
    parts.counts = parts.plan + h.plan + gap;
    parts.experts = parts.counts + h.counts + (h.counts > 0 ? gap : 0);
  }

  void put_rank(int rank) {
    const auto& room = m_.ranks[static_cast<std::size_t>(rank)];
    p_.columns.push_back({rank, {frame_x(rank), rect_.y, m_.column, rect_.height}});
    const float x = frame_x(rank) + m_.pad;
    for (std::size_t t = 0; t < room.tokens.size(); ++t) put_token(room.tokens[t], room.token_places.at[t], x);
    for (std::size_t i = 0; i < room.dropped.size(); ++i) {
      const auto row = room.dropped[i];
      auto place = box_at(x, p_.parts.dropped + m_.unit, room.dropped_places.at[i]);
      if (room.token_places.lines == 1) place.x = p_.home[row].x;  // it falls straight down, where no other can
      p_.queue[row] = p_.in[row] = p_.out[row] = place;
    }
    for (std::size_t i = 0; i < room.queue.size(); ++i) {
      p_.queue[room.queue[i]] = box_at(x, p_.parts.plan + m_.unit + m_.note, room.queue_places.at[i]);
    }
    for (const auto& strip : room.strips) put_strip(rank, strip, x);
  }

  void put_token(std::size_t first, Point at, float x) {
    const auto& token = batch_.rows[first];
    const Rect cell{x + at.x, p_.parts.tokens + m_.unit + at.y, m_.cell_width(), m_.cell_height()};
    p_.cells.push_back({token.rank, token.token, cell});
    for (auto i = first; i < batch_.rows.size(); ++i) {
      const auto& row = batch_.rows[i];
      if (row.rank != token.rank || row.token != token.token) break;
      const float shift = static_cast<float>(row.slot) * (m_.box_width + m_.slot_gap());
      p_.home[i] = {cell.x + m_.cell_pad() + shift, cell.y + m_.cell_pad(), m_.box_width, m_.box_height};
    }
  }

  void put_strip(int rank, const FlowStrip& strip, float x) {
    const Rect box{x + strip.at.x, p_.parts.experts + m_.unit + strip.at.y, m_.strip_width(), strip.height};
    const Rect bar{box.x + (box.width - m_.bar_width()) / 2, box.y, m_.bar_width(), box.height};
    p_.experts.push_back({rank, strip.expert, box, bar, std::ssize(strip.rows)});
    for (std::size_t i = 0; i < strip.rows.size(); ++i) {
      p_.in[strip.rows[i]] = box_at(box.x + m_.strip_pad(), box.y + m_.note, strip.packed.at[i]);
      p_.out[strip.rows[i]] = box_at(bar.right() + m_.strip_pad(), box.y + m_.note, strip.packed.at[i]);
    }
  }

  void put_away() {
    const Rect frame{frame_x(batch_.ranks()), rect_.y, m_.column / 2, rect_.height};
    p_.columns.push_back({-1, frame});
    for (std::size_t i = 0; i < m_.gone.size(); ++i) {
      const auto place = box_at(frame.x + m_.pad, rect_.y + m_.header() + m_.unit, m_.gone_places.at[i]);
      p_.in[m_.gone[i]] = p_.out[m_.gone[i]] = place;
    }
  }

  void put_counts(int rank) {
    if (m_.heights.counts == 0) return;
    const auto& strips = m_.ranks[static_cast<std::size_t>(rank)].strips;
    const float label = std::min(5 * m_.unit, m_.inner * 0.3F);  // "from rank 0"
    const float width = (m_.inner - label) / static_cast<float>(std::max<std::size_t>(1, strips.size()));
    for (int source = 0; source < batch_.ranks(); ++source) {
      for (std::size_t i = 0; i < strips.size(); ++i) {
        if (batch_.owner(source, strips[i].expert) != rank) continue;
        FlowCount count{.source = source, .rank = rank, .expert = strips[i].expert};
        count.at = {frame_x(rank) + m_.pad + label + static_cast<float>(i) * width,
                    p_.parts.counts + static_cast<float>(1 + source) * m_.unit, width, m_.unit};
        count.from = {frame_x(source) + m_.pad, p_.parts.plan + m_.unit + m_.note + m_.box_height, width, m_.unit};
        for (const auto row : strips[i].rows) {
          if (batch_.rows[row].rank != source) continue;
          if (count.rows++ == 0) count.from = {p_.queue[row].x, p_.queue[row].bottom(), width, m_.unit};
        }
        p_.counts.push_back(count);
      }
    }
  }

  const FlowBatch& batch_;
  const FlowMeasure& m_;
  Rect rect_;
  FlowPlaces p_;
};

bool one_line_of_tokens(const FlowMeasure& measure) {
  return std::all_of(measure.ranks.begin(), measure.ranks.end(),
                     [](const FlowRankRoom& room) { return room.token_places.lines == 1; });
}

float smooth(float t) { return t * t * (3 - 2 * t); }

}  // namespace

FlowPlaces place_flow(const FlowBatch& batch, Rect rect, float line) {
  constexpr float smallest = 0.002F;
  float scale = 2;
  FlowMeasure measure(batch, rect, line, scale);
  while (!measure.fits() && scale > smallest) {
    scale *= 0.95F;
    measure = FlowMeasure(batch, rect, line, scale);
  }
  // Tokens over two lines are harder to follow than smaller ones on one.
  for (float less = scale; !one_line_of_tokens(measure) && less > 0.7F * scale; less *= 0.95F) {
    const FlowMeasure smaller(batch, rect, line, less);
    if (one_line_of_tokens(smaller)) measure = smaller;
  }
  return Placer(batch, measure, rect).place();
}

Rect place_at(const FlowPlaces& places, const FlowBatch& batch, std::size_t row, Stage stage) {
  switch (stage) {
    case Stage::capacity:
      return batch.rows[row].kept() ? places.home[row] : places.queue[row];
    case Stage::plan:
    case Stage::counts:
    case Stage::combine:
      return places.queue[row];
    case Stage::dispatch:
    case Stage::expert_back:
      return places.in[row];
    case Stage::expert:
    case Stage::combine_back:
      return places.out[row];
    case Stage::tokens:
    case Stage::route:
      return places.home[row];
    case Stage::sum:
    case Stage::loss:
    case Stage::dispatch_back:
    case Stage::grad_sync:
    case Stage::optimizer:
      return batch.rows[row].kept() ? places.home[row] : places.queue[row];
  }
  return places.home[row];
}

Rect between(const Rect& a, const Rect& b, float share) {
  const float t = smooth(std::clamp(share, 0.0F, 1.0F));
  return {std::lerp(a.x, b.x, t), std::lerp(a.y, b.y, t), std::lerp(a.width, b.width, t),
          std::lerp(a.height, b.height, t)};
}

Rect place_on_the_way(const FlowPlaces& places, const FlowBatch& batch, std::size_t row, FlowPlace flow) {
  const auto stage = stage_of(flow.stage);
  const auto from = place_at(places, batch, row, stage_of(flow.stage - 1)), to = place_at(places, batch, row, stage);
  if (stage != Stage::combine_back && stage != Stage::dispatch_back) return between(from, to, flow.progress);
  const auto& queue = places.queue[row];
  return flow.progress < 0.5F ? between(from, queue, 2 * flow.progress) : between(queue, to, 2 * flow.progress - 1);
}

}  // namespace duet::viz
