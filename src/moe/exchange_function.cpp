#include "moe/exchange_function.h"

#include <torch/csrc/autograd/custom_function.h>

#include "moe/combine.h"
#include "moe/dispatch.h"
#include "moe/fused_exchange.h"
#include "moe/gate_backward.h"
#include "moe/permute_grid.h"
#include "moe/rows_backward.h"
#include "trace/recorder.h"

namespace duet {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;
using trace::Direction;
using trace::Phase;
using Scope = trace::Recorder::Scope;

/// What a backward needs besides tensors. Rides through autograd's context behind one pointer.
struct Exchange : torch::CustomClassHolder {
  Exchange(comm::Communicator& g, std::shared_ptr<const Plan> p) : group(&g), plan(std::move(p)) {
    if (group->recorder() != nullptr) layer = group->recorder()->layer();
  }
  comm::Communicator* group;
  std::shared_ptr<const Plan> plan;
  int layer = 0;  ///< backward goes through the layers the other way: its events take the layer from here
};

void remember(AutogradContext* context, comm::Communicator& group, std::shared_ptr<const Plan> plan) {
  auto exchange = c10::make_intrusive<Exchange>(group, std::move(plan));
  context->saved_data["exchange"] = c10::IValue::make_capsule(std::move(exchange));
}

const Exchange& recall(AutogradContext* context) {
  const auto& exchange = static_cast<const Exchange&>(*context->saved_data["exchange"].toCapsule());
  if (exchange.group->recorder() != nullptr) exchange.group->recorder()->set_layer(exchange.layer);
  return exchange;
}

struct DispatchFunction : Function<DispatchFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, comm::Communicator& group,
                            const std::shared_ptr<const Plan>& plan) {
    remember(context, group, plan);
    const Scope scope(group.recorder(), Phase::dispatch, Direction::forward);
    const auto& run = has_kernels_for(x.device()) ? fused::dispatch : dispatch;
    return run(group, *plan, x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto& exchange = recall(context);
    const Scope scope(exchange.group->recorder(), Phase::dispatch, Direction::backward);
    const auto& run = has_kernels_for(grads[0].device()) ? fused::dispatch_backward : dispatch_backward;
    return {run(*exchange.group, *exchange.plan, grads[0].contiguous()), {}, {}};
  }
};

struct CombineFunction : Function<CombineFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& y, const at::Tensor& gate,
                            comm::Communicator& group, const std::shared_ptr<const Plan>& plan) {
    remember(context, group, plan);
    const Scope scope(group.recorder(), Phase::combine, Direction::forward);
    const auto& run = has_kernels_for(y.device()) ? fused::combine : combine;
    auto combined = run(group, *plan, y.contiguous(), gate);
    context->save_for_backward({gate, combined.rows});
    return combined.out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto& exchange = recall(context);
    const auto saved = context->get_saved_variables();
    const Scope scope(exchange.group->recorder(), Phase::combine, Direction::backward);
    const bool kernels = has_kernels_for(grads[0].device());
    const auto& rows = kernels ? fused::combine_backward : combine_backward;
    const auto& gate = kernels ? fused::gate_backward : gate_backward;
    return {
        rows(*exchange.group, *exchange.plan, grads[0], saved[0]), gate(*exchange.plan, grads[0], saved[1]), {}, {}};
  }
};

struct SoftmaxFunction : Function<SoftmaxFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits, const at::Tensor& probs) {
    static_cast<void>(logits);
    const auto out = probs.alias();  // autograd wants an output that is none of the inputs
    context->save_for_backward({out});
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto probs = context->get_saved_variables()[0];
    const auto mean = (grads[0] * probs).sum(1, /*keepdim=*/true);
    return {probs * (grads[0] - mean), {}};
  }
};

struct GateFunction : Function<GateFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits, const at::Tensor& probs,
                            const at::Tensor& expert) {
    static_cast<void>(logits);  // an input for its gradient only; the values come from probs
    context->save_for_backward({probs, expert});
    return probs.gather(1, expert);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto saved = context->get_saved_variables();
    return {logits_backward(grads[0], saved[0], saved[1]), {}, {}};
  }
};

}  // namespace

at::Tensor dispatch_rows(comm::Communicator& group, const std::shared_ptr<const Plan>& plan, const at::Tensor& x) {
  return DispatchFunction::apply(x, group, plan);
}

at::Tensor combine_rows(comm::Communicator& group, const std::shared_ptr<const Plan>& plan, const at::Tensor& y,
                        const at::Tensor& gate) {
  return CombineFunction::apply(y, gate, group, plan);
}

at::Tensor as_softmax(const at::Tensor& logits, const at::Tensor& probs) {
  return SoftmaxFunction::apply(logits, probs);
}

at::Tensor chosen_probability(const Routing& routing) {
  return GateFunction::apply(routing.logits, routing.probs.detach(), routing.expert);
}

}  // namespace duet
