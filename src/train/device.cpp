#include "train/device.h"

#include <c10/core/AutogradState.h>
#include <fmt/format.h>

#include "core/error.h"
#include "core/gpu/gpu.h"

namespace duet {

namespace {

InputError no_gpu(const std::string& flag) {
  const auto where = flag.substr(0, flag.find(' '));
  if (!gpu::built()) {
    return InputError({.what = flag + ": this build of Duet has no CUDA",
                       .where = where,
                       .usually = "it is the build for machines without a GPU, which is a tenth of the size",
                       .fix = fmt::format("DUET_PRESET=cuda ./duet compare {} builds the other one (3 GB to load); or "
                                          "leave {} out",
                                          flag, where)});
  }
  return InputError({.what = fmt::format("{}: {}", flag, gpu::why_none()),
                     .where = where,
                     .usually = "nvidia-smi fails too; in a container, it was started without its GPUs (--gpus all)",
                     .fix = "install a driver for this build's CUDA (./duet doctor tells which); --device auto without "
                            "--transport takes the CPU where there is no GPU"});
}

}  // namespace

DeviceChoice choose_device(DeviceKind wanted, const std::string& flag) {
  if (wanted == DeviceKind::cpu) return {};
  if (gpu::count() > 0) return {.kind = DeviceKind::cuda, .note = {}};
  if (wanted == DeviceKind::cuda) throw no_gpu(flag);
  return {.kind = DeviceKind::cpu, .note = fmt::format("--device auto: on the CPU, since {}", gpu::why_none())};
}

at::Device device_of_rank(const RunConfig& config, int rank) {
  if (choose_device(config.device).kind == DeviceKind::cpu) return at::kCPU;
  return {at::kCUDA, static_cast<c10::DeviceIndex>(rank % gpu::count())};
}

at::Device device_here(const RunConfig& config) {
  return config.device == DeviceKind::cuda ? gpu::current() : at::Device(at::kCPU);
}

void start_rank_on(const at::Device& device) {
  gpu::use(device);
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
}

}  // namespace duet
