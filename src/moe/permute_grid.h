#pragma once
/// Runs the work of moe/permute_index.h and moe/route_index.h where its memory lies: as kernels on the tensors' device,
/// or as plain loops on the CPU, which is how it is tested without a GPU.
#include "core/tensor.h"
#include "moe/permute_index.h"
#include "moe/route_index.h"

namespace duet {

/// Whether this build has kernels for tensors on `device`. Where not, the plain units do the work.
bool has_kernels_for(const at::Device& device);

/// Each of the `rows` (tokens, pairs) that the work writes. On a GPU: starts, on torch's current stream there.
/// @throws RankError when CUDA refuses to start it
void run_on(const at::Device& device, const permute::SendRows<float>& work, std::int64_t rows);
void run_on(const at::Device& device, const permute::SendRows<double>& work, std::int64_t rows);
void run_on(const at::Device& device, const permute::HomeRows<float>& work, std::int64_t rows);
void run_on(const at::Device& device, const permute::HomeRows<double>& work, std::int64_t rows);
void run_on(const at::Device& device, const permute::PairDots<float>& work, std::int64_t rows);
void run_on(const at::Device& device, const permute::PairDots<double>& work, std::int64_t rows);
void run_on(const at::Device& device, const route_top1::RouteTop1<float>& work);
void run_on(const at::Device& device, const route_top1::RouteTop1<double>& work);

}  // namespace duet
