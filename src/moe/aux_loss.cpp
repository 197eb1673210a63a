#include "moe/aux_loss.h"

namespace duet {

namespace {

// A tensor with the value `value` whose gradient for `probs` is `slope` (broadcast): straight-through.
at::Tensor straight_through(const at::Tensor& probs, const at::Tensor& value, const at::Tensor& slope) {
  const auto soft = (probs * slope).sum();
  return soft + (value - soft).detach();
}

// Value and slope d std / d n_e; the slope is 0, not NaN, at balance.
std::pair<at::Tensor, at::Tensor> std_and_slope(const at::Tensor& counts, at::ScalarType dtype, Estimator estimator) {
  const auto experts = counts.size(0);
  const auto degrees = estimator == Estimator::unbiased ? experts - 1 : experts;
  const auto n = counts.to(dtype);
  const auto deviation = n - n.mean();
  if (degrees == 0) return {at::zeros({}, deviation.options()), at::zeros_like(deviation)};
  const auto std = deviation.square().sum().div(degrees).sqrt();
  const auto slope = at::where(std.eq(0), at::zeros_like(deviation), deviation / (std * degrees));
  return {std, slope};
}

}  // namespace

at::Tensor std_loss(const at::Tensor& probs, const at::Tensor& counts, Estimator estimator) {
  const auto [std, slope] = std_and_slope(counts, probs.scalar_type(), estimator);
  return straight_through(probs, std, slope);
}

at::Tensor cv_loss(const at::Tensor& probs, const at::Tensor& counts) {
  if (probs.size(0) == 0) return probs.sum();
  const auto [std, slope] = std_and_slope(counts, probs.scalar_type(), Estimator::unbiased);
  const auto mean = counts.to(probs.scalar_type()).mean();
  return straight_through(probs, std / mean, slope / mean);
}

at::Tensor switch_loss(const at::Tensor& probs, const at::Tensor& counts) {
  if (probs.size(0) == 0) return probs.sum();
  const auto share = counts.to(probs.scalar_type()) / counts.sum();
  return (share * probs.mean(0)).sum() * counts.size(0);
}

at::Tensor aux_loss(AuxKind kind, const at::Tensor& probs, const at::Tensor& counts) {
  switch (kind) {
    case AuxKind::std:
      return std_loss(probs, counts);
    case AuxKind::cv:
      return cv_loss(probs, counts);
    case AuxKind::switch_:
      return switch_loss(probs, counts);
    case AuxKind::none:
      break;
  }
  return at::zeros({}, probs.options());
}

}  // namespace duet
