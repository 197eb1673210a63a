#include "moe/fused_exchange.h"

#include "comm/tensors.h"
#include "moe/permute_grid.h"
#include "moe/regroup.h"

namespace duet::fused {

namespace {

// `work(T{})` for the tensor's type; a Duet run is in one of these two.
template <typename Work>
void in_type_of(const at::Tensor& tensor, Work work) {
  tensor.scalar_type() == at::kDouble ? work(double{}) : work(float{});
}

// [N, D]: the rows that leave, times their gates where `gate` is defined.
at::Tensor rows_to_send(const SendPlan& plan, const at::Tensor& x, const at::Tensor& gate) {
  const auto from = x.contiguous();
  const auto weights = gate.defined() ? gate.contiguous() : gate;
  const auto rows = at::empty({plan.rows(), x.size(1)}, from.options());
  in_type_of(from, [&]<typename T>(T) {
    run_on(x.device(),
           permute::SendRows<T>{.x = from.const_data_ptr<T>(),
                                .order = plan.order.const_data_ptr<std::int64_t>(),
                                .gate = weights.defined() ? weights.const_data_ptr<T>() : nullptr,
                                .rows = rows.mutable_data_ptr<T>(),
                                .top_k = plan.top_k(),
                                .width = x.size(1)},
           plan.rows());
  });
  return rows;
}

// [T, D]: each token's rows, summed over its choices.
at::Tensor rows_at_home(const SendPlan& plan, const at::Tensor& rows, const at::Tensor& gate) {
  const auto weights = gate.defined() ? gate.contiguous() : gate;
  const auto out = at::empty({plan.position.size(0), rows.size(1)}, rows.options());
  in_type_of(rows, [&]<typename T>(T) {
    run_on(rows.device(),
           permute::HomeRows<T>{.rows = rows.const_data_ptr<T>(),
                                .position = plan.position.const_data_ptr<std::int64_t>(),
                                .gate = weights.defined() ? weights.const_data_ptr<T>() : nullptr,
                                .out = out.mutable_data_ptr<T>(),
                                .top_k = plan.top_k(),
                                .width = rows.size(1),
                                .sent = plan.rows()},
           out.size(0));
  });
  return out;
}

void bring_home(comm::Communicator& group, const Plan& plan, const at::Tensor& arrived, const at::Tensor& home) {
  comm::all_to_all_into(group, group_by_source(plan, arrived), plan.rows_from_ranks(), plan.rows_to_ranks(), home);
}

at::Tensor send_out(comm::Communicator& group, const Plan& plan, const at::Tensor& rows) {
  return group_by_expert(plan, comm::all_to_all(group, rows, plan.rows_to_ranks(), plan.rows_from_ranks()));
}

}  // namespace

at::Tensor dispatch(comm::Communicator& group, const Plan& plan, const at::Tensor& x) {
  const at::NoGradGuard no_grad;
  return send_out(group, plan, rows_to_send(plan, x, {}));
}

Combined combine(comm::Communicator& group, const Plan& plan, const at::Tensor& y, const at::Tensor& gate) {
  const at::NoGradGuard no_grad;
  const auto rows = at::empty({plan.rows() + 1, y.size(1)}, y.options());
  rows.narrow(0, plan.rows(), 1).zero_();  // not read here, but by who takes these rows for the plain unit's
  bring_home(group, plan, y, rows.narrow(0, 0, plan.rows()));
  return {rows_at_home(plan, rows, gate), rows};
}

at::Tensor dispatch_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_rows) {
  const at::NoGradGuard no_grad;
  const auto home = at::empty({plan.rows(), grad_rows.size(1)}, grad_rows.options());
  bring_home(group, plan, grad_rows, home);
  return rows_at_home(plan, home, {});
}

at::Tensor combine_backward(comm::Communicator& group, const Plan& plan, const at::Tensor& grad_out,
                            const at::Tensor& gate) {
  const at::NoGradGuard no_grad;
  return send_out(group, plan, rows_to_send(plan, grad_out, gate));
}

at::Tensor gate_backward(const Plan& plan, const at::Tensor& grad_out, const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  const auto gradient = grad_out.contiguous();
  const auto grad_gate = at::empty(plan.position.sizes(), rows.options());
  in_type_of(rows, [&]<typename T>(T) {
    run_on(rows.device(),
           permute::PairDots<T>{.rows = rows.const_data_ptr<T>(),
                                .position = plan.position.const_data_ptr<std::int64_t>(),
                                .grad_out = gradient.const_data_ptr<T>(),
                                .grad_gate = grad_gate.mutable_data_ptr<T>(),
                                .top_k = plan.top_k(),
                                .width = rows.size(1),
                                .sent = plan.rows()},
           grad_gate.numel());
  });
  return grad_gate;
}

}  // namespace duet::fused
