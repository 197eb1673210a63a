#include "moe/dispatch.h"

#include "comm/tensors.h"
#include "moe/regroup.h"

namespace duet {

at::Tensor dispatch(comm::Communicator& group, const Plan& plan, const at::Tensor& x) {
  const at::NoGradGuard no_grad;
  const auto rows = x.index_select(0, plan.tokens());
  const auto arrived = comm::all_to_all(group, rows, plan.rows_to_ranks(), plan.rows_from_ranks());
  return group_by_expert(plan, arrived);
}

}  // namespace duet
