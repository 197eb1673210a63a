#pragma once
/// Arithmetic on typed bytes, for sums over ranks.
#include "comm/communicator.h"

namespace duet::comm {

/// A run of values of a longer row of them.
struct Chunk {
  std::int64_t start = 0;
  std::int64_t size = 0;
};

/// Part `index` of `parts` nearly equal parts of `values`; the first ones are one longer when it does not divide.
Chunk chunk_of(std::int64_t values, int parts, int index);

/// into[i] += from[i] for `values` values.
void add_values(DType dtype, std::byte* into, const std::byte* from, std::int64_t values);

}  // namespace duet::comm
