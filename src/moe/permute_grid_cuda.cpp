// With CUDA: kernels on torch's current stream, loops for what lies on the CPU.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "moe/grid_on_host.h"
#include "moe/permute_grid.h"
#include "moe/permute_kernels.h"
#include "moe/route_kernels.h"

namespace duet {

namespace {

// A failed launch tells of itself only when asked.
void check_launch(const at::Device& device) {
  const auto status = cudaGetLastError();
  if (status == cudaSuccess) return;
  throw RankError(
      {.what = fmt::format("a CUDA kernel did not start on {}: {}", device.str(), cudaGetErrorString(status)),
       .where = "moe/permute.cu, moe/route.cu",
       .usually = "an earlier operation on this GPU failed, or the GPU is older than the build knows",
       .fix = "run with CUDA_LAUNCH_BLOCKING=1 to see the first that fails; ./duet doctor names the GPU"});
}

template <typename Work, typename... Rows>
void run(const at::Device& device, const Work& work, Rows... rows) {
  if (!device.is_cuda()) return loop(work, rows...);
  const c10::cuda::CUDAGuard guard(device);
  launch(work, rows..., c10::cuda::getCurrentCUDAStream().stream());
  check_launch(device);
}

}  // namespace

bool has_kernels_for(const at::Device& device) { return device.is_cuda(); }

void run_on(const at::Device& device, const permute::SendRows<float>& work, std::int64_t rows) {
  run(device, work, rows);
}
void run_on(const at::Device& device, const permute::SendRows<double>& work, std::int64_t rows) {
  run(device, work, rows);
}
void run_on(const at::Device& device, const permute::HomeRows<float>& work, std::int64_t rows) {
  run(device, work, rows);
}
void run_on(const at::Device& device, const permute::HomeRows<double>& work, std::int64_t rows) {
  run(device, work, rows);
}
void run_on(const at::Device& device, const permute::PairDots<float>& work, std::int64_t rows) {
  run(device, work, rows);
}
void run_on(const at::Device& device, const permute::PairDots<double>& work, std::int64_t rows) {
  run(device, work, rows);
}
void run_on(const at::Device& device, const route_top1::RouteTop1<float>& work) { run(device, work); }
void run_on(const at::Device& device, const route_top1::RouteTop1<double>& work) { run(device, work); }

}  // namespace duet
