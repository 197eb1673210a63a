#include "moe/combine.h"

#include "comm/tensors.h"
#include "moe/regroup.h"

namespace duet {

Combined combine(comm::Communicator& group, const Plan& plan, const at::Tensor& y, const at::Tensor& gate) {
  const at::NoGradGuard no_grad;
  const auto rows = at::empty({plan.rows() + 1, y.size(1)}, y.options());
  rows.narrow(0, plan.rows(), 1).zero_();  // where `position` points for a dropped pair
  auto home = rows.narrow(0, 0, plan.rows());
  comm::all_to_all_into(group, group_by_source(plan, y), plan.rows_from_ranks(), plan.rows_to_ranks(), home);

  auto out = rows.index_select(0, plan.position.select(1, 0)).mul_(gate.narrow(1, 0, 1));
  for (std::int64_t choice = 1; choice < plan.top_k(); ++choice) {
    out.addcmul_(rows.index_select(0, plan.position.select(1, choice)), gate.narrow(1, choice, 1));
  }
  return {out, rows};
}

}  // namespace duet
