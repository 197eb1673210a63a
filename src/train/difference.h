#pragma once
/// How far two models are apart.
#include "train/model.h"

namespace duet {

/// The largest over tensors of max|a - b| / max|b|; infinite when a tensor is missing or not finite.
double relative_difference(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b);

}  // namespace duet
