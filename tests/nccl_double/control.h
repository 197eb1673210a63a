#pragma once
/// What a test tells the double of NCCL and CUDA, and asks it.
///
/// The double moves host memory between the threads of this process as NCCL moves device memory: operations wait in
/// streams, a collective ends when every rank has come to it with the same size, a message when both sides have. What
/// does not match hangs until ncclCommAbort, as on a GPU. It adds up in rank order; the real one has an order of its
/// own.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>

namespace duet::nccl_double {

constexpr int any_rank = -1;

/// Back to a machine of eight devices on which all goes well, with nothing alive on it.
void reset();

void set_devices(int count);
void set_driver_error(cudaError_t error);  ///< what cudaGetDeviceCount answers
void set_version(int version);

/// Call number `nth` (from 1, counted from now) of that name by that rank of its communicator gives `result` and does
/// nothing.
void fail_call(const std::string& call, int nth, ncclResult_t result, int rank = any_rank);
void fail_cuda_call(const std::string& call, int nth, cudaError_t result);
/// The same call is taken on and never ends.
void stall_call(const std::string& call, int nth, int rank = any_rank);
/// Once the rank has made `nth` calls of that name, its communicator reports `result` as asynchronous error.
void async_error_at(const std::string& call, int nth, ncclResult_t result, int rank);
/// What a nonblocking communicator starts (its birth, its operations) takes so many looks at it.
void take_polls(int polls);

/// Nothing that lies in `stream` (null: the default one of the calling thread's device) behind this moves until
/// release.
void hold(cudaStream_t stream);
void release();

int calls(const std::string& call);
/// What was made and not given back.
struct Alive {
  int comms = 0, streams = 0, events = 0, allocations = 0;
  bool operator==(const Alive&) const = default;
};
Alive alive();

}  // namespace duet::nccl_double
