#pragma once
/// Words in a box that may be too small for them: a shorter form, smaller letters, or none.
#include <string>
#include <vector>

#include "viz/model/shapes.h"

namespace duet::viz {

struct TextStyle {
  Colour colour = {};
  Align align = Align::left;
  float size = 1;  ///< at most; relative to the font
  float line = 0;  ///< height of a line of the font
};

/// Adds the first of `forms`, longest first, that fits the box at nearly full size, or else the last one smaller. What
/// could only be read with a glass is left out.
void add_text(Shapes& shapes, Rect box, const std::vector<std::string>& forms, const TextStyle& style);

}  // namespace duet::viz
