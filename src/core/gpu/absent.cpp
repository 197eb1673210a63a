// A build without CUDA.
#include "core/gpu/gpu.h"

namespace duet::gpu {

bool built() { return false; }
int count() { return 0; }
std::string why_none() { return "this build of Duet has no CUDA"; }
at::Device current() { return at::kCPU; }
void use(const at::Device& device) { static_cast<void>(device); }
void synchronise(const at::Device& device) { static_cast<void>(device); }
std::int64_t free_bytes(const at::Device& device) {
  static_cast<void>(device);
  return 0;
}
std::string id_of(int gpu) {
  static_cast<void>(gpu);
  return {};
}
void begin_range(const char* name) { static_cast<void>(name); }
void end_range() {}

}  // namespace duet::gpu
