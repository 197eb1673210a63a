#include "moe/aux_loss.h"

namespace duet {

namespace {

// A tensor with the value `value` whose gradient for `probs` is `slope` (broadcast): straight-through.
at::Tensor straight_through(const at::Tensor& probs, const at::Tensor& value, const at::Tensor& slope) {
  const auto soft = (probs * slope).sum();
  return soft + (value - soft).detach();
}

// Value and slope d std / d n_e.
std::pair<at::Tensor, at::Tensor> std_and_slope(const at::Tensor& counts, at::ScalarType dtype, Estimator estimator) {
  const auto experts = counts.size(0);
  const bool unbiased = estimator == Estimator::unbiased;
  const auto n = counts.to(dtype);
  if (experts == 1) return {at::zeros({}, n.options()), at::zeros_like(n)};
  const auto std = at::std(n, unbiased);
  const auto slope = (n - n.mean()).div_(std * (unbiased ? experts - 1 : experts));
  return {std, slope.nan_to_num_(0)};  // at perfect balance 0 / 0, where the slope is to be 0
}

}  // namespace

at::Tensor std_loss(const at::Tensor& probs, const at::Tensor& counts, Estimator estimator) {
  const auto [std, slope] = std_and_slope(counts, probs.scalar_type(), estimator);
  return straight_through(probs, std, slope);
}

at::Tensor cv_loss(const at::Tensor& probs, const at::Tensor& counts, Estimator estimator) {
  const auto [std, slope] = std_and_slope(counts, probs.scalar_type(), estimator);
  const auto mean = counts.to(probs.scalar_type()).mean();
  return straight_through(probs, (std / mean).nan_to_num_(0), (slope / mean).nan_to_num_(0));  // 0 / 0: no tokens
}

at::Tensor cv2_loss(const at::Tensor& importance) {
  const auto mean = importance.mean();
  const auto variance = (importance - mean).square().mean();
  // Without tokens all is 0: 0 / 1, so that the gradient is 0 too, not NaN.
  return variance / at::where(mean.eq(0), at::ones_like(mean), mean.square());
}

at::Tensor switch_loss(const at::Tensor& probs, const at::Tensor& counts) {
  if (probs.size(0) == 0) return probs.sum();
  const auto share = counts.to(probs.scalar_type()) / counts.sum();
  return (share * probs.mean(0)).sum() * counts.size(0);
}

at::Tensor z_loss(const at::Tensor& logits) {
  if (logits.size(0) == 0) return logits.sum();
  return at::logsumexp(logits, /*dim=*/1).square().mean();
}

}  // namespace duet
