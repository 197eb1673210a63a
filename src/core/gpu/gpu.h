#pragma once
/// What this program can do with NVIDIA GPUs. Two implementations: cuda.cpp where the build has CUDA, absent.cpp where
/// it has not; nobody else asks which.
#include <string>

#include "core/tensor.h"

namespace duet::gpu {

/// Whether the build has CUDA; a GPU may still be missing.
bool built();

/// The GPUs that can be used now. 0 without CUDA, a driver or a GPU.
int count();

/// Why there are none, as the end of a sentence: "this machine has no NVIDIA driver". Empty where there are some.
std::string why_none();

/// The calling thread's own GPU, as `use` set it; the CPU in a build without CUDA.
at::Device current();

/// Makes `device` the calling thread's own. Nothing for the CPU.
void use(const at::Device& device);

/// Waits until all that was started on `device` is done. Nothing for the CPU.
void synchronise(const at::Device& device);

/// Memory of a GPU that nobody has taken, in bytes.
std::int64_t free_bytes(const at::Device& device);

/// What the driver calls a GPU wherever it is seen from: its UUID in hexadecimal digits. Empty without CUDA.
std::string id_of(int gpu);

/// A named range of the calling thread in NVIDIA's profilers (NVTX). Ranges nest. Nothing where no profiler looks.
void begin_range(const char* name);
void end_range();

}  // namespace duet::gpu
