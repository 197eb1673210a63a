#pragma once
/// A plot over the steps of a trace: where a step lies, and the words round it.
#include <string>
#include <vector>

#include "viz/model/shapes.h"
#include "viz/model/summary.h"

namespace duet::viz {

struct StepPlot {
  Rect area;
  std::int64_t first = 0;  ///< steps at the left and right edge
  std::int64_t last = 0;

  float x_of(std::int64_t step) const;
};

/// The part of `rect` that is left for the plot itself. @param summaries not empty
StepPlot step_plot(const std::vector<StepSummary>& summaries, Rect rect, float line);

/// A bit of text, a little smaller than the font.
void add_label(Shapes& shapes, Point at, std::string words, Align align, Ink ink);
void add_line(Shapes& shapes, Point from, Point to, Colour colour, float width);
/// The first and the last step, below the plot.
void add_step_axis(Shapes& shapes, const StepPlot& plot, float line);

}  // namespace duet::viz
