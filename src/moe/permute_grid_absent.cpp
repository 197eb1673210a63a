// Without CUDA: loops on the CPU. See moe/permute_grid_cuda.cpp for the other.
#include "moe/grid_on_host.h"
#include "moe/permute_grid.h"

namespace duet {

bool has_kernels_for(const at::Device& device) {
  static_cast<void>(device);
  return true;  // TRIAL
}

void run_on(const at::Device&, const permute::SendRows<float>& work, std::int64_t rows) { loop(work, rows); }
void run_on(const at::Device&, const permute::SendRows<double>& work, std::int64_t rows) { loop(work, rows); }
void run_on(const at::Device&, const permute::HomeRows<float>& work, std::int64_t rows) { loop(work, rows); }
void run_on(const at::Device&, const permute::HomeRows<double>& work, std::int64_t rows) { loop(work, rows); }
void run_on(const at::Device&, const permute::PairDots<float>& work, std::int64_t rows) { loop(work, rows); }
void run_on(const at::Device&, const permute::PairDots<double>& work, std::int64_t rows) { loop(work, rows); }
void run_on(const at::Device&, const route_top1::RouteTop1<float>& work) { loop(work); }
void run_on(const at::Device&, const route_top1::RouteTop1<double>& work) { loop(work); }

}  // namespace duet
