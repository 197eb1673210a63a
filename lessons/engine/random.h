#pragma once
/// Numbers for cases that are too large to be written out: the same ones every time.
#include <random>

#include "core/tensor.h"

namespace duet::lessons {

/// Normal numbers, a generator of its own for each seed: nothing that the student's code draws can shift them.
inline at::Tensor normal_numbers(std::uint64_t seed, at::IntArrayRef sizes) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  auto tensor = at::empty(sizes, at::kDouble);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<double>()[i] = normal(generator);
  return tensor;
}

}  // namespace duet::lessons
