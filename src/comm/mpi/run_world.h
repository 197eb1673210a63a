#pragma once
/// The inner part of run_mpi: one run of a function on all ranks of an MPI communicator, which may be followed by
/// another.
#include "comm/mpi/mpi_world.h"

namespace duet::comm {

/// How a run ended, as this process knows it.
struct WorldEnd {
  std::optional<MpiFailure> failure;  ///< the first that is known here; none: `body` returned on every rank
  bool speaks = false;                ///< this rank tells the reason, and no other tells the same
  bool refused_alike = false;         ///< every rank left by the same InputError
};

/// Calls `body` with this process's rank of `parent`, on communicators of its own; returns when all ranks have left, or
/// `options.grace` after a failure. MPI is initialised. Collective over `parent`. Throws nothing that `body` throws.
/// @param on_own_failure called before the others are told that this rank failed
WorldEnd run_world(
    MPI_Comm parent, const MpiOptions& options, const std::function<void(Communicator&)>& body,
    std::function<void(const MpiFailure&)> on_own_failure = [](const MpiFailure&) {});

}  // namespace duet::comm
