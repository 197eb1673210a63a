#pragma once
/// The kernels' grids as loops. The order of blocks is the reverse of a careful reader's: nothing may depend on it.
#include "moe/permute_index.h"
#include "moe/route_index.h"

namespace duet {

template <typename Work>
void loop(const Work& work, std::int64_t rows) {
  for (std::int64_t row = rows - 1; row >= 0; --row) {
    for (std::int64_t column = 0; column < work.width; ++column) work(row, column);
  }
}

template <typename T>
void loop(const permute::PairDots<T>& work, std::int64_t pairs) {
  constexpr int lanes = permute::PairDots<T>::lanes;
  for (std::int64_t pair = pairs - 1; pair >= 0; --pair) {
    T sums[lanes];
    for (int lane = 0; lane < lanes; ++lane) sums[lane] = work.lane_sum(pair, lane);
    for (int step = lanes / 2; step > 0; step /= 2) {
      for (int lane = 0; lane < step; ++lane) sums[lane] += sums[lane + step];
    }
    work.grad_gate[pair] = sums[0];
  }
}

template <typename T>
void loop(const route_top1::RouteTop1<T>& work) {
  const auto tiles = route_top1::tiles_of(work.tokens);
  for (std::int64_t token = work.tokens - 1; token >= 0; --token) work.choose(token);
  for (std::int64_t token = work.tokens - 1; token >= 0; --token) work.place(token);
  for (std::int64_t tile = tiles - 1; tile >= 0; --tile) {
    for (std::int64_t e = 0; e <= work.experts; ++e) work.count(tile, e);
  }
  for (std::int64_t e = work.experts; e >= 0; --e) work.total(tiles, e);
  for (std::int64_t token = 0; token < work.tokens; ++token) work.shift(token);
}

}  // namespace duet
