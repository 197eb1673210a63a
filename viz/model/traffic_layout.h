#pragma once
/// Who sends rows to whom in a step: ranks by ranks, forward and backward.
#include <string>

#include "trace/record.h"
#include "viz/model/shapes.h"

namespace duet::viz {

/// Rows and bytes that leave each rank for each other in one direction, [from][to]; own rows count no bytes.
struct Traffic {
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::vector<std::int64_t>> bytes;
};

/// Of all all-to-alls of the step but the counts', which are no rows of tokens.
Traffic traffic_of(const trace::StepRecord& step, trace::Direction direction);

/// Two matrices side by side. A cell's hit is {Thing::cell, from, to}; the selected rank's row and column are framed.
Shapes lay_out_traffic(const trace::StepRecord& step, Hit pinned, Rect rect, float line);

/// "rank 0 to rank 1: 31 rows, 3968 bytes forward (dispatch and combine), 31 rows, 3968 bytes backward".
std::string tell_traffic(const trace::StepRecord& step, Hit hit);

}  // namespace duet::viz
