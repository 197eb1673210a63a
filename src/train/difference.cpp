#include "train/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace duet {

namespace {

double largest(const at::Tensor& tensor) { return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>(); }

}  // namespace

double relative_difference(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return infinity;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name) return infinity;
    const double apart = largest(a[i].tensor - b[i].tensor);
    if (!std::isfinite(apart)) return infinity;
    if (apart > 0) worst = std::max(worst, apart / largest(b[i].tensor));
  }
  return worst;
}

}  // namespace duet
