#pragma once
/// Starts the kernels of moe/route.cu on a stream of the current device; see moe/permute_kernels.h.
#include "moe/route_index.h"

struct CUstream_st;

namespace duet::route_top1 {

void launch(const RouteTop1<float>& work, CUstream_st* stream);
void launch(const RouteTop1<double>& work, CUstream_st* stream);

}  // namespace duet::route_top1
