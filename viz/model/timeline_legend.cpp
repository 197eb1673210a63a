#include "viz/model/routing_labels.h"
#include "viz/model/timeline_layout.h"

namespace duet::viz {

Shapes lay_out_phases(Point at, float width, float line, float& height) {
  Shapes shapes;
  const float swatch = 0.9F * line, start = at.x;
  float y = at.y;
  const auto add = [&](Form form, Colour colour, const std::string& words) {
    const float needed = swatch + 1.2F * line + text_width(words, 0.9F * line);
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

}  // namespace duet::viz
