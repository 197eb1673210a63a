#pragma once
/// What a step sent, by measurement and by formula.
#include "model/traffic.h"
#include "parallel/layout.h"
#include "trace/record.h"
#include "train/config.h"

namespace duet {

/// Bytes that a rank sends in a step: a mean over ranks.
struct Bytes {
  double measured = 0;
  double formula = 0;
};

/// The sizes that the formula needs, of a run's mode.
TrafficShape traffic_of(const RunConfig& config, const Layout& layout, std::int64_t value_bytes);

/// `measured` sums the step's communication events; `formula` is model/traffic.h for the rows that were routed.
Bytes bytes_of(const trace::StepRecord& step, const Layout& layout, const TrafficShape& shape);

}  // namespace duet
