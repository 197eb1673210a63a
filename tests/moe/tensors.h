#pragma once
/// Tensors written out in a test, and read back as plain numbers.
#include "core/tensor.h"

namespace duet::test {

inline at::Tensor doubles(std::vector<double> values, std::vector<std::int64_t> shape) {
  return at::from_blob(values.data(), shape, at::kDouble).clone();
}

inline at::Tensor integers(std::vector<std::int64_t> values, std::vector<std::int64_t> shape) {
  return at::from_blob(values.data(), shape, at::kLong).clone();
}

inline at::Tensor flags(const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& shape) {
  return integers(values, shape).to(at::kBool);
}

template <typename Value>
std::vector<Value> listed(const at::Tensor& tensor) {
  const auto flat = tensor.contiguous();
  return std::vector<Value>(flat.data_ptr<Value>(), flat.data_ptr<Value>() + flat.numel());
}

}  // namespace duet::test
