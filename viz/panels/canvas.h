#pragma once
/// The part of a window that a picture fills, and what the pointer does there.
#include "viz/model/shapes.h"

namespace duet::viz {

class Canvas {
 public:
  /// Takes the rest of the current window, but for so many lines of words below.
  explicit Canvas(const char* name, int lines_below = 1);

  Rect rect() const { return rect_; }
  float line() const { return line_; }
  void draw(const Shapes& shapes, bool dark) const;
  Hit hovered(const Shapes& shapes) const;
  bool inside() const { return inside_; }
  bool clicked() const { return clicked_; }
  /// Where the pointer is, from 0 to 1 over the width; and the wheel's turn while it is inside.
  float pointer_share() const;
  float wheel() const;
  float dragged_share() const;
  /// The same downwards, over the height from `body.y`.
  float pointer_down(Rect body) const;
  float dragged_down(Rect body) const;
  /// The button went up where it went down: a click, not the end of a drag.
  bool tapped() const { return tapped_; }
  bool double_clicked() const;
  /// Below the picture; wrapped at its right end.
  void say(const std::string& words) const;

 private:
  Rect rect_;
  float line_ = 0;
  bool inside_ = false;
  bool clicked_ = false;
  bool held_ = false;
  bool tapped_ = false;
};

}  // namespace duet::viz
