#include "viz/model/flow_measure.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "viz/model/flow_words.h"

namespace duet::viz {

namespace {

constexpr std::size_t strips_in_a_stack = 8;

struct Packing {
  float width = 0;
  float box = 0;
  float gap = 0;
  float group_gap = 0;  // where the group changes
  float pitch = 0;      // from line to line
};

Packed pack(const std::vector<int>& groups, const Packing& how) {
  Packed packed;
  float x = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (x > 0) x += i > 0 && groups[i] != groups[i - 1] ? how.group_gap : how.gap;
    if (x > 0 && x + how.box > how.width) {
      x = 0;
      ++packed.lines;
    }
    packed.at.push_back({x, static_cast<float>(packed.lines - 1) * how.pitch});
    x += how.box;
  }
  return packed;
}

int digits_of(const FlowBatch& batch) {
  std::int64_t most = 0;
  for (const auto& row : batch.rows) most = std::max(most, row.token);
  return static_cast<int>(std::to_string(most).size());
}

}  // namespace

FlowMeasure::FlowMeasure(const FlowBatch& batch, Rect rect, float line, float scale)
    : choices_(batch.choices), rect_height_(rect.height) {
  unit = line * std::min(1.0F, scale);
  note = unit * 0.95F;
  box_width = line * scale * std::max(1.9F, 0.7F + 0.55F * static_cast<float>(digits_of(batch)));
  box_height = line * scale * 1.25F;
  pad = unit * 0.5F;
  away = batch.ranks() < batch.ranks_in_all && !stays(batch);
  const auto frames = static_cast<float>(std::max(1, batch.ranks()));
  column = away ? (rect.width - pad * frames) / (frames + 0.5F) : (rect.width - pad * (frames - 1)) / frames;
  inner = std::max(0.0F, column - 2 * pad);
  for (int rank = 0; rank < batch.ranks(); ++rank) measure(batch, rank);
  measure_away(batch);
  measure_parts(batch);
}

bool FlowMeasure::fits() const {
  return total_ <= rect_height_ && cell_width() <= inner && area_width() >= box_width &&
         (!away || away_width() >= box_width);
}

float FlowMeasure::cell_width() const {
  const auto k = static_cast<float>(choices_);
  return k * box_width + (k - 1) * slot_gap() + 2 * cell_pad();
}

// Strips of a rank stand in stacks side by side where it has more than fit into one.
float FlowMeasure::strip_width() const {
  const auto stacks =
      static_cast<float>(std::max<std::size_t>(1, (most_strips_ + strips_in_a_stack - 1) / strips_in_a_stack));
  return (inner - (stacks - 1) * pad) / stacks;
}

float FlowMeasure::bar_width() const { return std::min(3 * unit, strip_width() * 0.2F); }

Packed FlowMeasure::pack_boxes(const std::vector<int>& groups, float width, float pitch) const {
  return pack(groups, {width, box_width, box_width * 0.08F, box_width * 0.4F, pitch});
}

void FlowMeasure::measure(const FlowBatch& batch, int rank) {
  FlowRankRoom room;
  std::vector<int> groups;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const auto& row = batch.rows[i];
    if (row.rank != rank) continue;
    if (row.slot == 0) room.tokens.push_back(i);
    (row.kept() ? room.queue : room.dropped).push_back(i);
  }
  std::sort(room.queue.begin(), room.queue.end(),
            [&](auto a, auto b) { return batch.rows[a].position < batch.rows[b].position; });
  for (const auto i : room.queue) groups.push_back(static_cast<int>(batch.rows[i].expert));
  room.queue_places = pack_boxes(groups, inner, plan_pitch());
  room.dropped_places = pack_boxes(std::vector<int>(room.dropped.size()), inner, plain_pitch());
  room.token_places = pack(std::vector<int>(room.tokens.size()),
                           {inner, cell_width(), box_width * 0.3F, box_width * 0.3F, cell_height() + 0.3F * unit});
  find_strips(batch, rank, room);
  ranks.push_back(std::move(room));
}

void FlowMeasure::find_strips(const FlowBatch& batch, int rank, FlowRankRoom& room) {
  for (const auto& place : batch.places) {
    if (place.rank != rank) continue;
    FlowStrip strip{.expert = place.expert};
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {  // by source, then in its order: as dispatch says
      const auto& row = batch.rows[i];
      if (row.kept() && row.owner == rank && row.expert == place.expert) strip.rows.push_back(i);
    }
    room.strips.push_back(std::move(strip));
  }
  const auto all = room.strips.size();
  if (all > strips_in_a_stack) std::erase_if(room.strips, [](const FlowStrip& strip) { return strip.rows.empty(); });
  hidden_experts = std::max(hidden_experts, static_cast<int>(all - room.strips.size()));
  most_strips_ = std::max(most_strips_, room.strips.size());
}

// Strips of a rank stand in stacks side by side; the number of stacks is known once all ranks are measured.
float FlowMeasure::stack_strips(const FlowBatch& batch, FlowRankRoom& room) const {
  const auto in_a_stack = std::max<std::size_t>(1, std::min(strips_in_a_stack, room.strips.size()));
  float tallest = 0, y = 0;
  for (std::size_t i = 0; i < room.strips.size(); ++i) {
    auto& strip = room.strips[i];
    std::vector<int> sources;
    for (const auto row : strip.rows) sources.push_back(batch.rows[row].rank);
    strip.packed = pack_boxes(sources, area_width(), strip_pitch());
    if (i % in_a_stack == 0) y = 0;
    const auto stack = i / in_a_stack;
    strip.at = {static_cast<float>(stack) * (strip_width() + pad), y};
    strip.height = static_cast<float>(strip.packed.lines) * strip_pitch() + 0.35F * unit;
    y += strip.height + 0.3F * unit;
    tallest = std::max(tallest, y);
  }
  return tallest;
}

void FlowMeasure::measure_away(const FlowBatch& batch) {
  if (!away) return;
  std::vector<int> sources;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (!batch.rows[i].kept() || batch.drawn(batch.rows[i].owner)) continue;
    gone.push_back(i);
    sources.push_back(batch.rows[i].rank);
  }
  gone_places = pack_boxes(sources, away_width(), plain_pitch());
}

void FlowMeasure::measure_parts(const FlowBatch& batch) {
  int tokens = 1, dropped = 0, queue = 1;
  for (auto& room : ranks) {
    tokens = std::max(tokens, room.token_places.lines);
    const int lines = room.token_places.lines == 1 ? 1 : room.dropped_places.lines;
    dropped = std::max(dropped, room.dropped.empty() ? 0 : lines);
    queue = std::max(queue, room.queue_places.lines);
    heights.experts = std::max(heights.experts, unit + stack_strips(batch, room));
  }
  heights.tokens = unit + static_cast<float>(tokens) * (cell_height() + 0.3F * unit);
  heights.dropped = dropped == 0 ? 0 : unit + static_cast<float>(dropped) * plain_pitch();
  heights.plan = unit + static_cast<float>(queue) * plan_pitch();
  heights.counts = stays(batch) ? 0 : static_cast<float>(1 + batch.ranks()) * unit;
  total_ = header() + heights.tokens + heights.dropped + heights.plan + heights.counts + heights.experts + pad;
  if (away) total_ = std::max(total_, header() + unit + static_cast<float>(gone_places.lines) * plain_pitch() + pad);
}

}  // namespace duet::viz
