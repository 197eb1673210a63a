#include "moe/fused_route.h"

#include "moe/exchange_function.h"
#include "moe/permute_grid.h"

namespace duet::fused {

namespace {

template <typename T>
void run(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& parts, const Top1& top) {
  run_on(logits.device(), duet::route_top1::RouteTop1<T>{.logits = logits.const_data_ptr<T>(),
                                                         .bias = bias.defined() ? bias.const_data_ptr<T>() : nullptr,
                                                         .tokens = logits.size(0),
                                                         .experts = logits.size(1),
                                                         .probs = top.probs.mutable_data_ptr<T>(),
                                                         .expert = top.expert.mutable_data_ptr<std::int64_t>(),
                                                         .gate = top.gate.mutable_data_ptr<T>(),
                                                         .position = top.position.mutable_data_ptr<std::int64_t>(),
                                                         .summary = top.summary.mutable_data_ptr<std::int64_t>(),
                                                         .tile_parts = parts.mutable_data_ptr<std::int64_t>()});
}

}  // namespace

Top1 route_top1(const at::Tensor& logits, const at::Tensor& choice_bias) {
  const at::NoGradGuard no_grad;
  const auto own = logits.detach().contiguous();
  const auto bias = choice_bias.defined() ? choice_bias.contiguous() : choice_bias;
  const auto tokens = own.size(0), experts = own.size(1);
  const auto integers = own.options().dtype(at::kLong);
  const Top1 top{.probs = at::empty_like(own),
                 .expert = at::empty({tokens, 1}, integers),
                 .gate = at::empty({tokens, 1}, own.options()),
                 .position = at::empty({tokens}, integers),
                 .summary = at::empty({experts + 1}, integers)};
  const auto parts = at::empty({duet::route_top1::tiles_of(tokens), experts + 1}, integers);
  own.scalar_type() == at::kDouble ? run<double>(own, bias, parts, top) : run<float>(own, bias, parts, top);
  return top;
}

CheckedRouting route(const at::Tensor& x, const RouterWeights& weights, const at::Tensor& noise) {
  auto logits = at::linear(x, weights.weight, weights.bias);
  if (noise.defined()) logits = logits + noise;
  const auto top = route_top1(logits, weights.choice_bias);
  const auto probs = as_softmax(logits, top.probs);
  return {.routing = {logits, probs, top.expert, probs.gather(1, top.expert)},
          .first_bad = top.summary[logits.size(1)].item<std::int64_t>()};
}

}  // namespace duet::fused
