#include "viz/model/shapes.h"

namespace duet::viz {

namespace {

// A band bends like 3t^2 - 2t^3 from its left to its right end.
bool in_band(const Shape& band, Point p) {
  if (p.x < band.box.x || p.x > band.box.right() || band.box.width <= 0) return false;
  const float t = (p.x - band.box.x) / band.box.width;
  const float s = t * t * (3 - 2 * t);
  const float top = band.box.y + (band.end.y - band.box.y) * s;
  const float height = band.box.height + (band.end.height - band.box.height) * s;
  constexpr float slack = 2;  // a ribbon of one token is thinner than a hand is steady
  return p.y >= top - slack && p.y <= top + height + slack;
}

bool holds(const Shape& shape, Point p) {
  switch (shape.form) {
    case Form::box:
    case Form::outline:
    case Form::hatched:
    case Form::cross:
      return shape.box.contains(p);
    case Form::band:
      return in_band(shape, p);
    case Form::line:
    case Form::text:
    case Form::edge:
      return false;
  }
  return false;
}

}  // namespace

Hit hit_at(const Shapes& shapes, Point pointer) {
  for (std::size_t i = shapes.size(); i-- > 0;) {
    const auto& shape = shapes[i];
    if (shape.hit.thing != Thing::none && holds(shape, pointer)) return shape.hit;
  }
  return {};
}

}  // namespace duet::viz
