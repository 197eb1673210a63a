#pragma once
/// The part of a window that a picture fills, and what the pointer does there.
#include "viz/model/shapes.h"

namespace duet::viz {

class Canvas {
 public:
  /// Takes the rest of the current window, but for a line of words below.
  explicit Canvas(const char* name);

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
  /// A line below the picture.
  void say(const std::string& words) const;

 private:
  Rect rect_;
  float line_ = 0;
  bool inside_ = false;
  bool clicked_ = false;
  bool held_ = false;
};

}  // namespace duet::viz
