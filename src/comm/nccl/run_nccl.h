#pragma once
/// Runs a function on several ranks that talk over NCCL, each with a GPU of its own.
///
/// Memory: rows given to a communicator lie on the rank's device. Work starts after what the compute stream holds at
/// the call, and the compute stream's later work comes after `wait`. Buffers of a started operation must live until
/// then; a rank that unwinds first aborts its communicator, so that nothing writes into freed memory.
///
/// Sums: NCCL adds in an order of its own, fixed for a layout of GPUs and a size, and gives every rank the same bits;
/// it is not the rank order that the other transports add in, so floating-point results may differ from theirs in the
/// last bits. The native all-reduce's bytes are the ring formula's (marked as modelled). One event covers an operation
/// with its waiting: inside one NCCL kernel they cannot be told apart.
#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/nccl/signal.h"

namespace duet::comm {

struct NcclOptions {
  Deadline deadline = std::chrono::seconds(30);  ///< of every wait; zero: none. None holds under a debugger
  Deadline grace = std::chrono::seconds(2);      ///< more, after a failure, for a rank that computes (threads only)
  /// Compares operation, number, dtype, row width and row counts before data moves. Costs each operation a round trip,
  /// in which also a started one waits for its peers.
  bool checked = false;
  std::vector<int> devices = {};  ///< [rank] CUDA device of each thread; empty: rank r has device r
  /// The calling thread's current cudaStream_t; empty: the default stream, where torch computes unless told otherwise.
  std::function<void*()> compute_stream = {};
};

/// One process, a thread a GPU. The contract of run_ranks (comm/threads/run_ranks.h): the first error of a rank is
/// thrown here, and the other ranks wake with "rank R failed: ...".
/// @throws InputError for ranks < 1, more ranks than GPUs, or one GPU for two ranks, which NCCL refuses
void run_nccl_threads(int ranks, const NcclOptions& options, const std::function<void(Communicator&)>& body);

/// Who this process is among the ranks of a run.
struct NcclProcess {
  int rank = 0;
  int size = 1;
  int device = 0;  ///< CUDA device of this process
  IdExchange exchange_id = {};
  std::shared_ptr<Signal> signal = {};
};

/// One process a GPU: calls `body` in the calling thread. An error is raised over the signal, then thrown here.
void run_nccl_process(const NcclProcess& process, const NcclOptions& options,
                      const std::function<void(Communicator&)>& body);

}  // namespace duet::comm
