// Top-1 routing on the device: softmax, choice, counts and positions from one reading of the logits.
#include <algorithm>

#include "moe/route_kernels.h"

namespace duet::route_top1 {

namespace {

constexpr std::int64_t most_blocks = 65535;

template <typename T>
__global__ void over_tiles(RouteTop1<T> work, std::int64_t tiles) {
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t token = tile * tile_tokens + threadIdx.x;
    if (token < work.tokens) work.choose(token);
    __syncthreads();  // the block's choices are there
    if (token < work.tokens) work.place(token);
    for (std::int64_t e = threadIdx.x; e <= work.experts; e += tile_tokens) work.count(tile, e);
  }
}

template <typename T>
__global__ void over_experts(RouteTop1<T> work, std::int64_t tiles) {
  for (std::int64_t e = threadIdx.x; e <= work.experts; e += blockDim.x) work.total(tiles, e);
}

template <typename T>
__global__ void over_tokens(RouteTop1<T> work) {
  for (std::int64_t token = std::int64_t{blockIdx.x} * tile_tokens + threadIdx.x; token < work.tokens;
       token += std::int64_t{gridDim.x} * tile_tokens) {
    work.shift(token);
  }
}

template <typename T>
void launch_all(const RouteTop1<T>& work, CUstream_st* stream) {
  const std::int64_t tiles = tiles_of(work.tokens);
  const auto blocks = static_cast<unsigned>(std::min(tiles, most_blocks));
  if (tiles > 0) over_tiles<<<blocks, tile_tokens, 0, stream>>>(work, tiles);
  over_experts<<<1, tile_tokens, 0, stream>>>(work, tiles);  // without tokens too: it writes the summary
  if (tiles > 0) over_tokens<<<blocks, tile_tokens, 0, stream>>>(work);
}

}  // namespace

void launch(const RouteTop1<float>& work, CUstream_st* stream) { launch_all(work, stream); }
void launch(const RouteTop1<double>& work, CUstream_st* stream) { launch_all(work, stream); }

}  // namespace duet::route_top1
