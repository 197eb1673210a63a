#include "moe/capacity.h"

#include "core/error.h"

namespace duet {

namespace {

// [T*k] int64: the pairs (pair p = token * k + choice), the ones to be kept first in front.
at::Tensor order_of_pairs(const Routing& routing, const CapacityRule& rule) {
  const auto tokens = routing.expert.size(0);
  const auto k = routing.expert.size(1);
  auto order = at::arange(tokens * k, routing.expert.options());
  if (rule.slot_order == SlotOrder::choice) order = order.view({tokens, k}).t().reshape({-1});
  if (rule.drop == DropPolicy::position) return order;
  if (rule.drop == DropPolicy::random && !routing.draw.defined()) {
    throw InputError("DropPolicy::random needs Routing::draw, a number for every pair");
  }
  const auto last = rule.drop == DropPolicy::probability ? routing.gate.neg() : routing.draw;  // the lowest stay
  const auto in_order = last.reshape({-1}).index_select(0, order);
  return order.index_select(0, at::argsort(in_order, /*stable=*/true));  // stable: equal ones keep the slots' order
}

at::Tensor mask_of(const Routing& routing, const CapacityRule& rule, std::int64_t experts, std::int64_t limit) {
  const auto order = order_of_pairs(routing, rule);
  const auto pairs = routing.expert.reshape({-1}).index_select(0, order);
  const auto wanted = at::one_hot(pairs, experts);                             // [T*k, E]
  const auto rank_in_expert = wanted.cumsum(0).gather(1, pairs.unsqueeze(1));  // 1 for an expert's first pair
  const auto kept = rank_in_expert.view({-1}).le(limit);
  return at::empty_like(kept).scatter_(0, order, kept).view(routing.expert.sizes());
}

}  // namespace

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  const at::NoGradGuard no_grad;
  const auto tokens = routing.expert.size(0);
  const auto experts = routing.logits.size(1);
  const auto counts = at::bincount(routing.expert.reshape({-1}), {}, experts);
  const auto& all = view == nullptr ? routing : view->routing;
  const auto limit = rule.limit(all.expert.size(0), experts, routing.expert.size(1));
  if (!limit) return {at::ones_like(routing.expert, at::kBool), counts};
  const auto mask = mask_of(all, rule, experts, *limit);
  return {view == nullptr ? mask : mask.narrow(0, view->first_token, tokens), counts};
}

}  // namespace duet
