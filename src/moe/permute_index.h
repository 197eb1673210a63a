#pragma once
/// Which number goes where when rows are gathered for the exchange and brought home: the arithmetic of moe/permute.cu.
///
/// Each struct says what one thread does; a kernel calls it for every (row, column), and so does a test on the host. A
/// pair is a (token, choice), as in moe/plan.h. C++17 and no torch: nvcc reads this.
#include <cstdint>

#include "core/host_device.h"

namespace duet::permute {

/// Rows to send: sent row r is the row of its token, times its pair's gate where there is one. Without gate the gather
/// of dispatch, with it that of combine's backward.
template <typename T>
struct SendRows {
  const T* x;                 ///< [T, width]
  const std::int64_t* order;  ///< [N], the pair in each sent row
  const T* gate;              ///< [T, k], or null
  T* rows;                    ///< [N, width], written
  std::int64_t top_k;
  std::int64_t width;

  DUET_HOST_DEVICE void operator()(std::int64_t row, std::int64_t column) const {
    const std::int64_t pair = order[row];
    const T value = x[pair / top_k * width + column];
    rows[row * width + column] = gate == nullptr ? value : value * gate[pair];
  }
};

/// Rows at home: a token's row is the sum over its choices, in order, of their rows, each times its gate where there
/// is one. With gate that is combine, without it dispatch's backward. A dropped pair (position = sent) adds nothing.
template <typename T>
struct HomeRows {
  const T* rows;                 ///< [sent, width], in the order in which they were sent
  const std::int64_t* position;  ///< [T, k], the row of each pair; `sent` for a dropped one
  const T* gate;                 ///< [T, k], or null
  T* out;                        ///< [T, width], written
  std::int64_t top_k;
  std::int64_t width;
  std::int64_t sent;

  DUET_HOST_DEVICE void operator()(std::int64_t token, std::int64_t column) const {
    T sum = 0;
    for (std::int64_t pair = token * top_k; pair < (token + 1) * top_k; ++pair) {
      if (position[pair] >= sent) continue;
      const T value = rows[position[pair] * width + column];
      sum += gate == nullptr ? value : value * gate[pair];
    }
    out[token * width + column] = sum;
  }
};

/// The gate's gradient: for each pair the dot product of its token's gradient and its row. A warp shares a pair: lane l
/// adds up columns l, l + lanes, ... and the lanes' sums are then added as a tree, always in the same order.
template <typename T>
struct PairDots {
  static constexpr int lanes = 32;

  const T* rows;                 ///< [sent, width]
  const std::int64_t* position;  ///< [T, k]
  const T* grad_out;             ///< [T, width]
  T* grad_gate;                  ///< [T, k], written
  std::int64_t top_k;
  std::int64_t width;
  std::int64_t sent;

  DUET_HOST_DEVICE T lane_sum(std::int64_t pair, int lane) const {
    T sum = 0;
    if (position[pair] >= sent) return sum;
    const T* const row = rows + position[pair] * width;
    const T* const gradient = grad_out + pair / top_k * width;
    for (std::int64_t column = lane; column < width; column += lanes) sum += row[column] * gradient[column];
    return sum;
  }
};

}  // namespace duet::permute
