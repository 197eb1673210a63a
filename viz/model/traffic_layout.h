#pragma once
/// Who sends rows to whom in a step: ranks by ranks, forward and backward.
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

/// Two matrices side by side.
Shapes lay_out_traffic(const trace::StepRecord& step, Rect rect, float line);

}  // namespace duet::viz
