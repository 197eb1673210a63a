#include "comm/nccl/device_errors.h"

#include <fmt/format.h>

namespace duet::comm {

namespace {

struct Meaning {
  const char* name;
  const char* usually;
  const char* fix;
};

Meaning meaning_of(ncclResult_t result) {
  switch (result) {
    case ncclUnhandledCudaError:
      return {"ncclUnhandledCudaError", "the driver is older than this NCCL's CUDA, or the GPU's memory is full",
              "./duet doctor shows the driver, nvidia-smi the memory; NCCL_DEBUG=WARN names the call"};
    case ncclSystemError:
      return {"ncclSystemError",
              "a socket or shared memory was refused: another network interface than meant, or a container's small "
              "/dev/shm",
              "NCCL_DEBUG=INFO says which; NCCL_SOCKET_IFNAME chooses the interface"};
    case ncclInternalError:
      return {"ncclInternalError", "a fault in NCCL or in the driver, or memory that was overwritten",
              "run again with NCCL_DEBUG=INFO, and compute-sanitizer if it stays"};
    case ncclInvalidArgument:
      return {"ncclInvalidArgument", "memory that the GPU cannot read was given, or the wrong rank or size",
              "give tensors that lie on this rank's GPU"};
    case ncclInvalidUsage:
      return {"ncclInvalidUsage", "two ranks use the same GPU, which NCCL refuses",
              "give each rank a GPU of its own; two ranks share one GPU with --transport threads --device cuda"};
    case ncclRemoteError:
      return {"ncclRemoteError", "another rank's process ended, or the network to it broke",
              "look at the messages of the other ranks: the first is the cause"};
    default:
      return {"an unknown result", "the library is newer than this program's NCCL header", "build again against it"};
  }
}

std::string version_text(int code) {
  const int major = code >= 10000 ? code / 10000 : code / 1000;  // 2.8 and before counted in thousands
  const int rest = code >= 10000 ? code % 10000 : code % 1000;
  return fmt::format("{}.{}.{}", major, rest / 100, rest % 100);
}

}  // namespace

ErrorText nccl_error(ncclResult_t result, std::string_view call, std::string doing, ncclComm_t comm) {
  const auto meaning = meaning_of(result);
  auto what = fmt::format("NCCL's {} gave {} ({})", call, ncclGetErrorString(result), meaning.name);
  const std::string last = comm == nullptr ? "" : ncclGetLastError(comm);
  if (!last.empty()) what += fmt::format(": {}", last);
  return {.what = what, .where = std::move(doing), .usually = meaning.usually, .fix = meaning.fix};
}

void check_cuda(cudaError_t result, std::string_view call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // or the next call of this thread reports it again
  const bool driver = result == cudaErrorInsufficientDriver || result == cudaErrorNoDevice;
  const bool memory = result == cudaErrorMemoryAllocation;
  throw RankError(
      {.what = fmt::format("CUDA's {} gave {} ({})", call, cudaGetErrorString(result), cudaGetErrorName(result)),
       .where = {},
       .usually = driver   ? "there is no NVIDIA driver here, or one older than this program's CUDA"
                  : memory ? "the GPU's memory is full, by this run or by another process"
                           : "a kernel that ran before wrote or read beyond its memory",
       .fix = driver   ? "./duet doctor shows the driver; --device cpu works without one"
              : memory ? "nvidia-smi shows who has it; fewer --tokens need less"
                       : "run under compute-sanitizer, or with CUDA_LAUNCH_BLOCKING=1"});
}

void check_nccl_version() {
  int library = 0;
  if (const auto result = ncclGetVersion(&library); result != ncclSuccess) {
    throw RankError(nccl_error(result, "ncclGetVersion", "before the ranks start"));
  }
  constexpr int header = NCCL_VERSION_CODE;
  const int major = library >= 10000 ? library / 10000 : library / 1000;
  if (major == NCCL_MAJOR && library >= header) return;
  throw RankError(
      {.what = fmt::format("NCCL {} is loaded, but this program was built for {}", version_text(library),
                           version_text(header)),
       .where = "libnccl.so.2",
       .usually = major == NCCL_MAJOR ? "an older NCCL of the system or of another Python is found first"
                                      : "structures of another major version have another layout",
       .fix = "take the folder with the other one out of LD_LIBRARY_PATH, or build against it (-DDUET_NCCL)"});
}

}  // namespace duet::comm
