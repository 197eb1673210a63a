#pragma once
/// The double's machine: devices with streams of tasks. Nothing runs by itself; every call moves on what can move,
/// under one lock, so a rank that looks whether it is done does the work.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/nccl_double/control.h"

/// Work that waits its turn. `run` is asked again until it says that it is done.
struct Task {
  std::function<bool()> run;
  const void* owner = nullptr;  ///< the communicator that takes it back on abort
};

struct CUstream_st {
  std::deque<Task> tasks;
};

struct CUevent_st {
  struct State {
    std::uint64_t recorded = 0;  ///< how often it was put into a stream
    std::uint64_t reached = 0;   ///< the last of these that the stream came to
    std::chrono::steady_clock::time_point time;
  };
  std::shared_ptr<State> state = std::make_shared<State>();  ///< outlives the event in the streams that it lies in
};

namespace duet::nccl_double {

struct Fault {
  enum class Kind { result, cuda, stall, async } kind = Kind::result;
  std::string call;
  int rank = any_rank;
  int countdown = 0;
  int result = 0;
};

struct Engine {
  std::mutex mutex;
  int devices = 8;
  cudaError_t driver = cudaSuccess;
  int version = NCCL_VERSION_CODE;
  int polls = 0;
  bool held = false;
  std::list<Fault> faults;
  std::map<std::string, int> calls;
  std::set<cudaStream_t> streams;
  std::map<int, CUstream_st> default_streams;
  std::set<void*> allocations;
  int events = 0;
  int comms = 0;

  /// Counts a call and says whether a fault of that kind falls on it; null otherwise.
  const Fault* meets(Fault::Kind kind, const std::string& call, int rank);
  CUstream_st& stream(cudaStream_t handle);
  /// Moves on whatever can move.
  void pump();
  void take_back(const void* owner);

 private:
  std::list<Fault> met_;
};

Engine& engine();
int current_device();

}  // namespace duet::nccl_double
