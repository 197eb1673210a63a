// Rows change order on the device: a thread a number, a warp a row.
#include <algorithm>

#include "moe/permute_kernels.h"

namespace duet::permute {

namespace {

constexpr int lanes = 32;
constexpr int rows_per_block = 8;
constexpr std::int64_t most_blocks = 65535;  // more rows than that take turns

// `static`: nvcc exports what a nameless namespace hides.
static unsigned blocks_for(std::int64_t rows) {
  return static_cast<unsigned>(std::min((rows + rows_per_block - 1) / rows_per_block, most_blocks));
}

template <typename Work>
__global__ void over_rows(Work work, std::int64_t rows) {
  for (std::int64_t row = std::int64_t{blockIdx.x} * rows_per_block + threadIdx.y; row < rows;
       row += std::int64_t{gridDim.x} * rows_per_block) {
    for (std::int64_t column = threadIdx.x; column < work.width; column += lanes) work(row, column);
  }
}

template <typename T>
__global__ void over_pairs(PairDots<T> work, std::int64_t pairs) {
  for (std::int64_t pair = std::int64_t{blockIdx.x} * rows_per_block + threadIdx.y; pair < pairs;
       pair += std::int64_t{gridDim.x} * rows_per_block) {
    T sum = work.lane_sum(pair, static_cast<int>(threadIdx.x));
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffU, sum, step);
    if (threadIdx.x == 0) work.grad_gate[pair] = sum;
  }
}

template <typename Work>
void launch_rows(const Work& work, std::int64_t rows, CUstream_st* stream) {
  if (rows == 0 || work.width == 0) return;  // a grid of no blocks is an error
  over_rows<<<blocks_for(rows), dim3(lanes, rows_per_block), 0, stream>>>(work, rows);
}

template <typename T>
void launch_pairs(const PairDots<T>& work, std::int64_t pairs, CUstream_st* stream) {
  static_assert(PairDots<T>::lanes == lanes, "a warp shares a pair");
  if (pairs == 0) return;
  over_pairs<<<blocks_for(pairs), dim3(lanes, rows_per_block), 0, stream>>>(work, pairs);
}

}  // namespace

void launch(const SendRows<float>& work, std::int64_t rows, CUstream_st* stream) { launch_rows(work, rows, stream); }
void launch(const SendRows<double>& work, std::int64_t rows, CUstream_st* stream) { launch_rows(work, rows, stream); }
void launch(const HomeRows<float>& work, std::int64_t tokens, CUstream_st* stream) {
  launch_rows(work, tokens, stream);
}
void launch(const HomeRows<double>& work, std::int64_t tokens, CUstream_st* stream) {
  launch_rows(work, tokens, stream);
}
void launch(const PairDots<float>& work, std::int64_t pairs, CUstream_st* stream) { launch_pairs(work, pairs, stream); }
void launch(const PairDots<double>& work, std::int64_t pairs, CUstream_st* stream) {
  launch_pairs(work, pairs, stream);
}

}  // namespace duet::permute
