#include "moe/rows_backward.h"

#include "comm/tensors.h"
#include "moe/regroup.h"

namespace duet {

at::Tensor dispatch_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_rows) {
  const at::NoGradGuard no_grad;
  const auto rows = at::empty({plan.rows() + 1, grad_rows.size(1)}, grad_rows.options());
  rows.narrow(0, plan.rows(), 1).zero_();  // where `position` points for a dropped pair
  auto home = rows.narrow(0, 0, plan.rows());
  comm::all_to_all_into(group, group_by_source(plan, grad_rows), plan.rows_from_ranks(), plan.rows_to_ranks(), home);

  auto grad_x = rows.index_select(0, plan.position.select(1, 0));
  for (std::int64_t choice = 1; choice < plan.top_k(); ++choice) {
    grad_x.add_(rows.index_select(0, plan.position.select(1, choice)));
  }
  return grad_x;
}

at::Tensor combine_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_out,
                            const at::Tensor& gate) {
  const at::NoGradGuard no_grad;
  const auto pair_gate = gate.reshape({-1, 1}).index_select(0, plan.order);
  const auto rows = grad_out.index_select(0, plan.tokens()).mul_(pair_gate);
  const auto arrived = comm::all_to_all(group, rows, plan.rows_to_ranks(), plan.rows_from_ranks());
  return group_by_expert(plan, arrived);
}

}  // namespace duet
