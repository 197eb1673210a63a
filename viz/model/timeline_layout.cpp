#include "viz/model/timeline_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/axis.h"
#include "viz/model/routing_labels.h"
#include "viz/model/selection.h"
#include "viz/model/spans.h"

namespace duet::viz {

namespace {

using trace::Event;
using trace::Operation;

// One rank of one mode. Its number is the hit's `a`.
struct Lane {
  const ModeStep* mode = nullptr;
  std::size_t rank = 0;
};

std::vector<Lane> lanes_of(const std::vector<ModeStep>& modes) {
  std::vector<Lane> lanes;
  for (const auto& mode : modes) {
    for (std::size_t rank = 0; mode.step != nullptr && rank < mode.step->ranks.size(); ++rank) {
      lanes.push_back({&mode, rank});
    }
  }
  return lanes;
}

// A lane has a second row where its events were measured on a device: host and device time are never one.
struct Row {
  std::size_t lane = 0;
  bool device = false;
};

std::vector<Row> rows_of(const std::vector<Lane>& lanes) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto& events = lanes[i].mode->step->ranks[lanes[i].rank].events;
    rows.push_back({i, false});
    if (std::any_of(events.begin(), events.end(), [](const Event& e) { return e.on_device(); }))
      rows.push_back({i, true});
  }
  return rows;
}

// A backward exchange lies inside the backward pass: it is drawn lower, so that both stay visible.
bool inside_backward(const Event& event) {
  return event.direction == trace::Direction::backward && event.phase != trace::Phase::backward &&
         event.phase != trace::Phase::grad_sync && event.phase != trace::Phase::optimizer;
}

// Where the parts of a lane begin, as shares of its height.
constexpr float inside_from = 0.3F, exchange_from = 0.55F;

class Timeline {
 public:
  Timeline(const std::vector<ModeStep>& modes, TimeWindow window, Hit pinned, Rect rect, float line)
      : lanes_(lanes_of(modes)), window_(window), pinned_(pinned), line_(line) {
    if (window_.to_us <= window_.from_us) window_ = {0, longest_us(modes)};
    labels_ = 7 * line;
    plot_ = {rect.x + labels_, rect.y + 1.6F * line, rect.width - labels_ - line, rect.height - 3 * line};
  }

  Shapes draw() {
    axis();
    const auto rows = rows_of(lanes_);
    const auto count = static_cast<float>(std::max<std::size_t>(1, rows.size()));
    const float pitch = std::min(3.6F * line_, plot_.height / count);
    const float gap = std::min(0.35F * line_, pitch * 0.15F);
    const trace::StepRecord* step = nullptr;
    std::vector<Span> spans;
    float named_to = -1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& lane = lanes_[rows[i].lane];
      const Rect place{plot_.x, plot_.y + static_cast<float>(i) * pitch, plot_.width, pitch - gap};
      if (lane.mode->step != step) spans = spans_of(*(step = lane.mode->step));
      const float middle = place.y + place.height / 2;
      if (middle - line_ / 2 >= named_to) {
        name(rows[i].device ? "its device" : fmt::format("{} rank {}", lane.mode->mode, lane.rank), place);
        named_to = middle + line_ / 2;
      }
      draw(rows[i], spans, place);
    }
    return std::move(shapes_);
  }

 private:
  float x_of(double us) const {
    return plot_.x + plot_.width * static_cast<float>((us - window_.from_us) / (window_.to_us - window_.from_us));
  }

  void axis() {
    const auto axis = trace::linear_axis(window_.from_us, window_.to_us, trace::Ends::exact);
    for (const double tick : axis.ticks) {
      const auto words = trace::tick_label(tick);
      const float x = x_of(tick), half = 0.32F * line_ * static_cast<float>(words.size());  // digits are wide
      shapes_.push_back({.form = Form::line, .box = {x, plot_.y, 0, plot_.height}, .colour = {Ink::rule}});
      shapes_.push_back({.form = Form::text,
                         .box = {std::min(x, plot_.right() + line_ - half), plot_.bottom() + 0.2F * line_, 0, line_},
                         .colour = {Ink::muted},
                         .text = words,
                         .align = Align::middle});
    }
    shapes_.push_back({.form = Form::text,
                       .box = {plot_.right(), plot_.y - 1.4F * line_, 0, line_},
                       .colour = {Ink::muted},
                       .text = "us since the step began",
                       .align = Align::right});
  }

  void name(std::string words, Rect row) {
    shapes_.push_back({.form = Form::text,
                       .box = {row.x - 0.5F * line_, row.y + row.height / 2 - line_ / 2, 0, line_},
                       .colour = {Ink::text},
                       .text = std::move(words),
                       .align = Align::right});
  }

  void draw(Row row, const std::vector<Span>& spans, Rect place) {
    const auto rank = lanes_[row.lane].rank;
    shapes_.push_back({.box = place, .colour = {Ink::card}});
    spans_ = row.device ? nullptr : &spans;
    alpha_ = selection_of(pinned_).means_rank(static_cast<std::int64_t>(rank)) ? 1 : 0.3F;
    for (const auto& span : spans) {
      if (span.rank != rank) continue;
      const Hit hit{Thing::phase, static_cast<std::int64_t>(row.lane), static_cast<std::int64_t>(span.number)};
      if (row.device) {
        if (span.event->on_device()) phase(*span.event, hit, span.device_start_us, span.device_end_us, place);
      } else if (span.event->operation == Operation::none) {
        phase(*span.event, hit, span.start_us, span.end_us, place);
      } else {
        communication(span, hit, place);
      }
    }
  }

  void communication(const Span& span, Hit hit, Rect place) {
    const Rect inner{place.x, place.y + place.height * exchange_from, place.width, place.height * (1 - exchange_from)};
    const Rect waiting = block(Form::hatched, {Ink::dropped, 0, 0.9F}, hit, span.start_us, span.wait_end_us, inner);
    const Rect transfer = block(Form::box, {Ink::accent}, hit, span.wait_end_us, span.end_us, inner);
    if (hit == pinned_) frame(waiting), frame(transfer);
  }

  void frame(Rect box) {
    if (box.width > 0) shapes_.push_back({.form = Form::outline, .box = box, .colour = {Ink::text}, .size = 2});
  }

  void phase(const Event& event, Hit hit, double from, double to, Rect row) {
    const float top = inside_backward(event) ? inside_from : 0;
    const Rect part{row.x, row.y + row.height * top, row.width, row.height * (1 - top)};
    const Rect box = block(Form::box, {Ink::phase, static_cast<int>(event.phase)}, hit, from, to, part);
    if (hit == pinned_) frame(box);
    if (alpha_ == 1) name_phase(trace::name(event.phase), hit, box, row);
  }

  // Where the least of the block is covered by exchanges, if that leaves enough.
  void name_phase(const std::string& name, Hit hit, Rect box, Rect row) {
    constexpr float largest = 0.85F, least = 0.6F;
    const float half = text_width(name, largest * line_) / 2 + 2;
    if (2 * half > box.width) return;
    float middle = 0, room = 0;
    for (const float share : {0.5F, 0.25F, 0.75F}) {  // a small exchange in the middle leaves room beside it
      const float at = std::clamp(box.x + box.width * share, box.x + half, box.right() - half);
      const float here = free_height(hit, box, row, {at - half, 0, 2 * half, 0});
      if (here > room + 0.5F) middle = at, room = here;
    }
    const float size = std::min(largest, room / line_);
    if (size < least) return;
    const float above = std::min(0.05F * line_, (room - size * line_) / 2);
    shapes_.push_back({.form = Form::text,
                       .box = {middle, box.y + above, 0, line_},
                       .colour = {Ink::paper},
                       .text = name,
                       .size = size,
                       .align = Align::middle});
  }

  // From the block's top down to the first thing that is drawn over it within `words`.
  float free_height(Hit hit, Rect box, Rect row, Rect words) const {
    float room = box.height;
    for (std::size_t i = 0; spans_ != nullptr && i < spans_->size(); ++i) {
      const auto& span = (*spans_)[i];
      const bool exchange = span.event->operation != Operation::none;
      if (span.rank != lanes_[static_cast<std::size_t>(hit.a)].rank || static_cast<std::int64_t>(span.number) == hit.b)
        continue;
      if (!exchange && !inside_backward(*span.event)) continue;
      if (x_of(span.start_us) >= words.right() || x_of(span.end_us) <= words.x) continue;
      const float top = row.y + row.height * (exchange ? exchange_from : inside_from) - box.y;
      if (top > 0.5F) room = std::min(room, top);
    }
    return room;
  }

  // A piece of a lane, cut to what is in sight.
  Rect block(Form form, Colour colour, Hit hit, double from, double to, Rect row) {
    const float left = std::max(plot_.x, x_of(from)), right = std::min(plot_.right(), x_of(to));
    if (right <= left) return {};
    const Rect box{left, row.y, right - left, row.height};
    colour.alpha *= alpha_;
    shapes_.push_back({.form = form, .box = box, .colour = colour, .hit = hit});
    return box;
  }

  std::vector<Lane> lanes_;
  TimeWindow window_;
  Hit pinned_;
  float line_;
  const std::vector<Span>* spans_ = nullptr;  ///< that may cover the blocks of the lane that is drawn
  float alpha_ = 1;                           ///< of the lane that is drawn
  float labels_ = 0;
  Rect plot_;
  Shapes shapes_;
};

}  // namespace

double longest_us(const std::vector<ModeStep>& modes) {
  double longest = 1;
  for (const auto& mode : modes) {
    if (mode.step != nullptr) longest = std::max(longest, static_cast<double>(mode.step->step_ns) / 1e3);
  }
  return longest;
}

Shapes lay_out_timeline(const std::vector<ModeStep>& modes, TimeWindow window, Hit pinned, Rect rect, float line) {
  return Timeline(modes, window, pinned, rect, line).draw();
}

}  // namespace duet::viz
