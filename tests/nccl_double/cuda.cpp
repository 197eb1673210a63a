// The double's CUDA runtime: memory is the host's.
#include <cstdlib>
#include <cstring>

#include "tests/nccl_double/engine.h"

namespace {

using duet::nccl_double::any_rank;
using duet::nccl_double::engine;
using duet::nccl_double::Fault;

thread_local int device_of_thread = 0;

// Counts the call, and gives what a fault makes of it.
cudaError_t met(const char* call) {
  ++engine().calls[call];
  const auto* const fault = engine().meets(Fault::Kind::cuda, call, any_rank);
  return fault == nullptr ? cudaSuccess : static_cast<cudaError_t>(fault->result);
}

cudaError_t allocate(const char* call, void** pointer, std::size_t size) {
  const std::scoped_lock lock(engine().mutex);
  if (const auto fault = met(call); fault != cudaSuccess) return fault;
  *pointer = std::malloc(size == 0 ? 1 : size);
  engine().allocations.insert(*pointer);
  return cudaSuccess;
}

cudaError_t give_back(void* pointer) {
  const std::scoped_lock lock(engine().mutex);
  engine().allocations.erase(pointer);
  std::free(pointer);
  return cudaSuccess;
}

}  // namespace

int duet::nccl_double::current_device() { return device_of_thread; }

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const std::scoped_lock lock(engine().mutex);
  *count = engine().devices;
  return engine().driver;
}

cudaError_t cudaSetDevice(int device) {
  const std::scoped_lock lock(engine().mutex);
  if (device < 0 || device >= engine().devices) return cudaErrorInvalidDevice;
  device_of_thread = device;
  return cudaSuccess;
}

cudaError_t cudaGetLastError(void) { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess ? "cudaSuccess" : "cudaErrorOfTheDouble";
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "the double's CUDA error";
}

cudaError_t cudaMalloc(void** pointer, size_t size) { return allocate("cudaMalloc", pointer, size); }
cudaError_t cudaMallocHost(void** pointer, size_t size) { return allocate("cudaMallocHost", pointer, size); }
cudaError_t cudaFree(void* pointer) { return give_back(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return give_back(pointer); }

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t count, enum cudaMemcpyKind, cudaStream_t stream) {
  const std::scoped_lock lock(engine().mutex);
  if (const auto fault = met("cudaMemcpyAsync"); fault != cudaSuccess) return fault;
  const auto copy = [to, from, count] {
    if (count > 0) std::memcpy(to, from, count);
    return true;
  };
  engine().stream(stream).tasks.push_back({.run = copy, .owner = nullptr});
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  const std::scoped_lock lock(engine().mutex);
  if (const auto fault = met("cudaStreamCreateWithFlags"); fault != cudaSuccess) return fault;
  *stream = new CUstream_st;
  engine().streams.insert(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::scoped_lock lock(engine().mutex);
  engine().streams.erase(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const std::scoped_lock lock(engine().mutex);
  engine().pump();
  return engine().stream(stream).tasks.empty() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const std::scoped_lock lock(engine().mutex);
  const auto reached = [state = event->state, wanted = event->state->recorded] { return state->reached >= wanted; };
  engine().stream(stream).tasks.push_back({.run = reached, .owner = nullptr});
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  const std::scoped_lock lock(engine().mutex);
  *event = new CUevent_st;
  ++engine().events;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::scoped_lock lock(engine().mutex);
  --engine().events;
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::scoped_lock lock(engine().mutex);
  if (const auto fault = met("cudaEventRecord"); fault != cudaSuccess) return fault;
  const auto reach = [state = event->state, number = ++event->state->recorded] {
    state->reached = number;
    state->time = std::chrono::steady_clock::now();
    return true;
  };
  engine().stream(stream).tasks.push_back({.run = reach, .owner = nullptr});
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::scoped_lock lock(engine().mutex);
  if (const auto fault = met("cudaEventQuery"); fault != cudaSuccess) return fault;
  engine().pump();
  return event->state->reached >= event->state->recorded ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const std::scoped_lock lock(engine().mutex);
  const auto &from = *start->state, &to = *end->state;
  if (from.recorded == 0 || to.recorded == 0) return cudaErrorInvalidValue;
  if (from.reached < from.recorded || to.reached < to.recorded) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(to.time - from.time).count();
  return cudaSuccess;
}

}  // extern "C"
