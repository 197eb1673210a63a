#include "moe/choice_bias.h"

namespace duet {

void move_choice_bias(const at::Tensor& bias, const at::Tensor& counts, double rate) {
  const at::NoGradGuard no_grad;
  const auto below = counts.sum() - counts * counts.size(0);  // E * (mean - count), in integers: no rounding
  bias.add_(below.sign(), rate);
}

}  // namespace duet
