// Lesson 04: the plan of the exchange. Only this file is yours; README.md beside the lesson tells the idea.
#include "moe/plan.h"

#include <stdexcept>

#include "core/error.h"

namespace duet {

// expert     [T, k] int64   the expert of each pair (token, choice); pair p = token * k + choice
// kept       mask [T, k] bool: whether the pair travels; counts [E]: how many wanted each expert, dropped ones too
// placement  experts, ranks, per_rank(): expert e is on rank e / per_rank()
// returns    {order, position, send_rows, placement}
//   order      [N] int64      the pair in each sent row: by rank, then by that rank's expert, then in pair order
//   position   [T, k] int64   the row of each pair; N for a dropped one
//   send_rows  one number for each expert, in the order of the groups: how many rows go there
// throws     InputError if a token chose an expert that the placement does not have
SendPlan make_plan(const at::Tensor& expert, const Kept& kept, const Placement& placement) {
  // TODO: count, then order, then the way back.
  static_cast<void>(expert), static_cast<void>(kept), static_cast<void>(placement);  // take away when you use them
  throw std::runtime_error("not written yet: make_plan");
}

}  // namespace duet
