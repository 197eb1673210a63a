#pragma once
/// What a picture consists of: plain shapes, made by the layout functions, drawn by the panels, hit by the pointer.
#include <cstdint>
#include <string>
#include <vector>

namespace duet::viz {

struct Point {
  float x = 0;
  float y = 0;
};

struct Rect {
  float x = 0;
  float y = 0;
  float width = 0;
  float height = 0;
  float right() const { return x + width; }
  float bottom() const { return y + height; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
};

/// A colour by its meaning; the palette gives it a value for light and for dark.
enum class Ink : std::uint8_t { text, muted, rule, paper, card, dropped, good, expert, phase, accent };

struct Colour {
  Ink ink = Ink::text;
  int index = 0;  ///< which expert or phase
  float alpha = 1;
};

/// What a shape stands for, so that the pointer can name it; the numbers' meaning is the kind's.
enum class Thing : std::uint8_t { none, rank, expert, ribbon, drop, token, phase, wait, step, cell };
struct Hit {
  Thing thing = Thing::none;
  std::int64_t a = 0;  ///< rank; of a phase: the lane
  std::int64_t b = 0;  ///< expert, token, or number of the event
  bool operator==(const Hit&) const = default;
};

/// `edge` is a band's outline.
enum class Form : std::uint8_t { box, outline, hatched, band, line, text, cross, edge };
enum class Align : std::uint8_t { left, middle, right };

struct Shape {
  Form form = Form::box;
  Rect box = {};  ///< a band: x and width are its ends' places, y and height its left end
  Rect end = {};  ///< a band's right end: y and height
  Colour colour = {};
  Hit hit = {};
  std::string text = {};
  float size = 1;  ///< of text: relative to the font; of a line: its width in pixels
  Align align = Align::left;
  int pattern = 0;  ///< of a box or a band: the hatching over it, see pattern_of; 0: none
};

/// How an expert is hatched, so that eyes that do not tell its colour from another's can tell them apart all the same.
/// There are five patterns and eight colours: together they repeat after 40 experts.
constexpr int patterns = 5;
constexpr int pattern_of(std::int64_t expert) { return static_cast<int>(expert % patterns); }

using Shapes = std::vector<Shape>;

/// The topmost shape with a hit under the pointer; none: an empty Hit.
Hit hit_at(const Shapes& shapes, Point pointer);

}  // namespace duet::viz
