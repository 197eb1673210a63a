#pragma once
/// Lines over steps, as SVG.
#include <string>
#include <vector>

#include "trace/axis.h"

namespace duet::trace {

struct Point {
  double x = 0;
  double y = 0;  ///< a line has a gap where this is not finite
};

struct Line {
  std::string label;  ///< plain text
  std::string color;  ///< a class of the page, "c0"
  std::vector<Point> points;
  double width = 2;  ///< pixels; a wider line shows under a narrower one that lies on it
};

struct LineChart {
  std::string label;    ///< what it shows; plain text
  std::string y_label;  ///< plain text
  Axis x, y;
  std::vector<Line> lines;
};

/// The axes, the lines and, below, which is which. A line is drawn with at most 600 points.
std::string line_chart(const LineChart& chart);

/// At most `limit` points, those that stand out kept: of each stretch its lowest, its highest and its first gap.
std::vector<Point> thin(const std::vector<Point>& points, std::size_t limit);

}  // namespace duet::trace
