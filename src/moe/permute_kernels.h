#pragma once
/// Starts the kernels of moe/permute.cu on a stream of the current device. All pointers are the device's. Nothing is
/// waited for; the caller asks CUDA whether the launch failed. Only in builds with DUET_CUDA.
#include "moe/permute_index.h"

struct CUstream_st;  ///< cudaStream_t is a pointer to it

namespace duet::permute {

void launch(const SendRows<float>& work, std::int64_t rows, CUstream_st* stream);
void launch(const SendRows<double>& work, std::int64_t rows, CUstream_st* stream);
void launch(const HomeRows<float>& work, std::int64_t tokens, CUstream_st* stream);
void launch(const HomeRows<double>& work, std::int64_t tokens, CUstream_st* stream);
void launch(const PairDots<float>& work, std::int64_t pairs, CUstream_st* stream);
void launch(const PairDots<double>& work, std::int64_t pairs, CUstream_st* stream);

}  // namespace duet::permute
