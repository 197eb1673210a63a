// A build with CUDA.
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include "core/gpu/gpu.h"

namespace duet::gpu {

namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

bool built() { return true; }

// Not c10's count, which prints a warning of its own.
int count() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

std::string why_none() {
  int devices = 0, driver = 0;
  const auto status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return {};
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "this machine has no NVIDIA driver";
  if (driver / 1000 < CUDART_VERSION / 1000) {
    return fmt::format("the NVIDIA driver is too old: it knows CUDA {}, and this build needs {}", version_text(driver),
                       version_text(CUDART_VERSION));
  }
  return fmt::format("the driver says: {}", cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status));
}

at::Device current() { return {at::kCUDA, c10::cuda::current_device()}; }

void use(const at::Device& device) {
  if (device.is_cuda()) c10::cuda::set_device(device.index());
}

void synchronise(const at::Device& device) {
  if (!device.is_cuda()) return;
  const c10::cuda::CUDAGuard guard(device);
  c10::cuda::device_synchronize();
}

std::int64_t free_bytes(const at::Device& device) {
  const c10::cuda::CUDAGuard guard(device);
  std::size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? static_cast<std::int64_t>(free) : 0;
}

std::string id_of(int gpu) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, gpu) != cudaSuccess) return {};
  std::string id;
  for (const char byte : properties.uuid.bytes) id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return id;
}

void begin_range(const char* name) { nvtxRangePushA(name); }
void end_range() { nvtxRangePop(); }

}  // namespace duet::gpu
