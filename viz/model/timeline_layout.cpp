#include "viz/model/timeline_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/axis.h"
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
    const auto count = static_cast<float>(std::max<std::size_t>(1, lanes_.size()));
    const float pitch = std::min(3.6F * line_, plot_.height / count);
    const float gap = std::min(0.35F * line_, pitch * 0.15F);
    const trace::StepRecord* step = nullptr;
    std::vector<Span> spans;
    float named_to = -1;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Rect row{plot_.x, plot_.y + static_cast<float>(i) * pitch, plot_.width, pitch - gap};
      if (lanes_[i].mode->step != step) spans = spans_of(*(step = lanes_[i].mode->step));
      const float middle = row.y + row.height / 2;
      if (middle - line_ / 2 >= named_to) {
        name(lanes_[i], row);
        named_to = middle + line_ / 2;
      }
      lane(i, spans, row);
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
      const float x = x_of(tick);
      shapes_.push_back({.form = Form::line, .box = {x, plot_.y, 0, plot_.height}, .colour = {Ink::rule}});
      shapes_.push_back({.form = Form::text,
                         .box = {x, plot_.bottom() + 0.2F * line_, 0, line_},
                         .colour = {Ink::muted},
                         .text = trace::tick_label(tick),
                         .align = Align::middle});
    }
    shapes_.push_back({.form = Form::text,
                       .box = {plot_.right(), plot_.y - 1.4F * line_, 0, line_},
                       .colour = {Ink::muted},
                       .text = "us since the step began",
                       .align = Align::right});
  }

  void name(const Lane& lane, Rect row) {
    shapes_.push_back({.form = Form::text,
                       .box = {row.x - 0.5F * line_, row.y + row.height / 2 - line_ / 2, 0, line_},
                       .colour = {Ink::text},
                       .text = fmt::format("{} rank {}", lane.mode->mode, lane.rank),
                       .align = Align::right});
  }

  void lane(std::size_t number, const std::vector<Span>& spans, Rect row) {
    const auto rank = static_cast<std::int64_t>(lanes_[number].rank);
    shapes_.push_back({.box = row, .colour = {Ink::card}});
    alpha_ = selection_of(pinned_).means_rank(rank) ? 1 : 0.3F;
    for (const auto& span : spans) {
      if (span.rank != lanes_[number].rank) continue;
      const Hit hit{Thing::phase, static_cast<std::int64_t>(number), static_cast<std::int64_t>(span.number)};
      if (span.event->operation == Operation::none) {
        phase(*span.event, hit, span.start_us, span.end_us, row);
      } else {
        const Rect inner{row.x, row.y + row.height * 0.55F, row.width, row.height * 0.45F};
        const Rect waiting = block(Form::hatched, {Ink::dropped, 0, 0.9F}, hit, span.start_us, span.wait_end_us, inner);
        const Rect transfer = block(Form::box, {Ink::accent}, hit, span.wait_end_us, span.end_us, inner);
        if (hit == pinned_) frame(waiting), frame(transfer);
      }
    }
  }

  void frame(Rect box) {
    if (box.width > 0) shapes_.push_back({.form = Form::outline, .box = box, .colour = {Ink::text}, .size = 2});
  }

  void phase(const Event& event, Hit hit, double from, double to, Rect row) {
    // A backward exchange lies inside the backward pass: it is drawn lower, so that both stay visible.
    const bool inside = event.direction == trace::Direction::backward && event.phase != trace::Phase::backward &&
                        event.phase != trace::Phase::grad_sync && event.phase != trace::Phase::optimizer;
    const Rect part = inside ? Rect{row.x, row.y + row.height * 0.3F, row.width, row.height * 0.7F} : row;
    const Rect box = block(Form::box, {Ink::phase, static_cast<int>(event.phase)}, hit, from, to, part);
    const std::string name = trace::name(event.phase);
    if (hit == pinned_) frame(box);
    if (alpha_ == 1 && box.height > 0.8F * line_ && box.width > static_cast<float>(name.size()) * line_ * 0.55F) {
      shapes_.push_back({.form = Form::text,
                         .box = {box.x + box.width / 2, box.y + 0.05F * line_, 0, line_},
                         .colour = {Ink::paper},
                         .text = name,
                         .size = 0.85F,
                         .align = Align::middle});
    }
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
  float alpha_ = 1;  ///< of the lane that is drawn
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

Shapes lay_out_phases(Point at, float width, float line, float& height) {
  Shapes shapes;
  const float swatch = 0.9F * line, start = at.x;
  float y = at.y;
  const auto add = [&](Form form, Colour colour, const std::string& words) {
    const float needed = swatch + (1.2F + 0.5F * static_cast<float>(words.size())) * line;
    if (at.x > start && at.x + needed > start + width) at.x = start, y += 1.2F * line;
    shapes.push_back({.form = form, .box = {at.x, y + 0.1F * line, swatch, 0.8F * line}, .colour = colour});
    shapes.push_back({.form = Form::text,
                      .box = {at.x + swatch + 0.3F * line, y, 0, line},
                      .colour = {Ink::text},
                      .text = words,
                      .size = 0.9F});
    at.x += needed;
  };
  for (int phase = 0; phase <= static_cast<int>(trace::Phase::optimizer); ++phase) {
    add(Form::box, {Ink::phase, phase}, trace::name(static_cast<trace::Phase>(phase)));
  }
  add(Form::hatched, {Ink::dropped, 0, 0.9F}, "waiting for the last rank");
  add(Form::box, {Ink::accent}, "transfer");
  height = y + 1.2F * line - at.y;
  return shapes;
}

std::string tell_timeline(const std::vector<ModeStep>& modes, Hit hit) {
  const auto lanes = lanes_of(modes);
  if (hit.thing != Thing::phase || hit.a < 0 || hit.a >= std::ssize(lanes)) return "";
  const auto& lane = lanes[static_cast<std::size_t>(hit.a)];
  for (const auto& span : spans_of(*lane.mode->step)) {
    if (span.rank != lane.rank || static_cast<std::int64_t>(span.number) != hit.b) continue;
    const auto& event = *span.event;
    const bool inside_backward = event.direction == trace::Direction::backward && event.phase != trace::Phase::backward;
    const auto where = fmt::format("{} rank {}, {}{}", lane.mode->mode, lane.rank, trace::name(event.phase),
                                   inside_backward ? ", backward" : "");
    const double all = span.end_us - span.start_us, wait = span.wait_end_us - span.start_us;
    if (event.operation == Operation::none) return fmt::format("{}: {:.1f} us", where, all);
    return fmt::format(
        "{}: {} of {} bytes, {:.1f} us; {}", where, trace::name(event.operation), event.bytes, all,
        wait > 0 ? fmt::format("of them {:.1f} us waiting for rank {}", wait, span.last_rank) : "this rank came last");
  }
  return "";
}

}  // namespace duet::viz
