#pragma once
/// Runs a function on several ranks at once, each a process that mpirun or srun started.
///
/// The one header of comm/mpi that needs no MPI to be read; a program that was built without MPI links absent.cpp,
/// where run_mpi says what to install.
#include <cstdint>
#include <functional>
#include <string>

#include "comm/communicator.h"

namespace duet::comm {

struct MpiOptions {
  Deadline deadline = std::chrono::seconds(30);  ///< of every wait; zero: none. None holds under a debugger
  bool checked = false;                          ///< compare what the ranks call before data moves: a round trip more
  bool gpu = false;                              ///< autograd's device thread communicates too (SERIALIZED)
  /// Called on a rank that failed by itself, before the others are told; must not throw.
  std::function<void(int rank, const std::string& reason)> on_failure = {};
  bool print_reason = true;                  ///< on stderr too; false where a launcher reads the status files
  Deadline grace = std::chrono::seconds(1);  ///< after a failure, for the other ranks to end by themselves
  std::int64_t largest_message = 1LL << 30;  ///< bytes; longer ones travel in pieces, as MPI counts in an int
};

/// Whether this program was built with MPI.
bool mpi_is_built();

/// True when mpirun or srun (with PMI or PMIx) started this process. Calls nothing of MPI.
bool started_by_mpi();

/// True when this MPI reads and writes GPU memory by itself. Needs no MPI_Init.
bool cuda_aware_mpi();

/// Calls `body` once, with this process's rank of all the ranks that were started with it. The first call in the life
/// of a process initialises MPI, and the end of the process finalises it; there may be further calls between.
///
/// Returns only if `body` returned, here and everywhere. Where it throws, this rank calls `on_failure`, tells the other
/// ranks, whose waits then throw "rank R failed: ...", gives them `grace` to end, and ends the job with MPI_Abort. A
/// rank that ends because of another's failure calls nothing: what is told is the reasons, not their echoes. The exit
/// code is 3; 2 when every rank throws the same InputError.
/// @throws InputError if the MPI cannot be called from the threads that `options` need, or Duet was built without MPI
void run_mpi(const MpiOptions& options, const std::function<void(Communicator&)>& body);

}  // namespace duet::comm
