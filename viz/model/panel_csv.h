#pragma once
/// A panel's data as CSV, for whoever wants to draw it in another way. One header line, then one line a row.
#include <string>

#include "viz/model/curves_layout.h"
#include "viz/model/timeline_layout.h"

namespace duet::viz {

/// rank,expert,owner,pairs,dropped of one mode's step.
std::string routing_csv(const trace::StepRecord& step, std::size_t layer);
/// mode,rank,phase,direction,operation,start_us,end_us,wait_us,bytes; times count from the mode's own first event.
std::string timeline_csv(const std::vector<ModeStep>& modes);
/// mode,step,loss,aux,std,dropped,grad_norm,step_us of every step.
std::string curves_csv(const Curves& curves);
/// mode,step,expert,pairs,dropped,capacity of every step.
std::string load_csv(const Curves& curves);
/// direction,from,to,rows,bytes.
std::string traffic_csv(const trace::StepRecord& step);
/// token,rank,choice,expert,owner,gate,kept,row of every pair of a step with its single tokens: `row` is its place
/// among those that its rank sends, in the plan's order, and empty for a dropped one.
std::string flow_csv(const trace::StepRecord& step, std::size_t layer);

}  // namespace duet::viz
