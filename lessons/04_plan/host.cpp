#include "host.h"

#include <stdexcept>

#include "moe/plan.h"

namespace duet::lessons {

Values run_unit(const std::string& /*call*/, const Values& in, comm::Communicator* /*comm*/) {
  const auto placement = place_in_blocks(number_in(in, "experts"), static_cast<int>(number_in(in, "ranks")));
  const auto plan = make_plan(in.at("expert"), {.mask = in.at("kept"), .counts = in.at("counts")}, placement);
  if (!plan.order.defined()) throw std::runtime_error("the plan's order was never assigned");
  if (!plan.position.defined()) throw std::runtime_error("the plan's position was never assigned");
  return {{"order", plan.order},
          {"position", plan.position},
          {"send_rows", list(plan.send_rows)},
          {"placement", list({plan.placement.experts, plan.placement.ranks})}};
}

}  // namespace duet::lessons
