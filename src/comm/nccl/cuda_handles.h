#pragma once
/// Owners of what CUDA gives out; each gives it back when it goes.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "comm/nccl/device_errors.h"

namespace duet::comm {

/// A stream that does not wait for the default one by itself.
class CudaStream {
 public:
  CudaStream() {
    cudaStream_t stream = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    stream_.reset(stream);
  }
  cudaStream_t get() const { return stream_.get(); }
  bool idle() const { return cudaStreamQuery(get()) != cudaErrorNotReady; }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  std::unique_ptr<CUstream_st, Destroy> stream_;
};

/// A point in a stream, with its time.
class CudaEvent {
 public:
  CudaEvent() {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
    event_.reset(event);
  }
  void record(cudaStream_t stream) const { check_cuda(cudaEventRecord(event_.get(), stream), "cudaEventRecord"); }
  void hold_back(cudaStream_t stream) const {
    check_cuda(cudaStreamWaitEvent(stream, event_.get(), 0), "cudaStreamWaitEvent");
  }
  bool reached() const {
    const auto result = cudaEventQuery(event_.get());
    if (result == cudaErrorNotReady) return false;
    check_cuda(result, "cudaEventQuery");
    return true;
  }
  /// Nanoseconds from `earlier` to this, both reached; 0 where CUDA cannot say.
  std::int64_t ns_since(const CudaEvent& earlier) const {
    float milliseconds = 0;
    const auto result = cudaEventElapsedTime(&milliseconds, earlier.event_.get(), event_.get());
    return result == cudaSuccess ? static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6) : 0;
  }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

/// A few integers that go between host and device: pinned on the host, so that copies do not block.
class SharedIntegers {
 public:
  explicit SharedIntegers(std::size_t count) {
    void* pointer = nullptr;
    check_cuda(cudaMalloc(&pointer, count * sizeof(std::int64_t)), "cudaMalloc");
    device_.reset(static_cast<std::int64_t*>(pointer));
    check_cuda(cudaMallocHost(&pointer, count * sizeof(std::int64_t)), "cudaMallocHost");
    host_.reset(static_cast<std::int64_t*>(pointer));
  }
  std::int64_t* host() const { return host_.get(); }
  std::int64_t* device() const { return device_.get(); }
  void to_device(std::size_t first, std::size_t count, cudaStream_t stream) const {
    check_cuda(
        cudaMemcpyAsync(device() + first, host() + first, count * sizeof(std::int64_t), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  }
  void to_host(std::size_t first, std::size_t count, cudaStream_t stream) const {
    check_cuda(
        cudaMemcpyAsync(host() + first, device() + first, count * sizeof(std::int64_t), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  }

 private:
  struct Free {
    void operator()(std::int64_t* pointer) const { cudaFree(pointer); }
  };
  struct FreeHost {
    void operator()(std::int64_t* pointer) const { cudaFreeHost(pointer); }
  };
  std::unique_ptr<std::int64_t, Free> device_;
  std::unique_ptr<std::int64_t, FreeHost> host_;
};

}  // namespace duet::comm
