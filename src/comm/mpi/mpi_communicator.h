#pragma once
/// The transport whose ranks are processes that MPI connects.
#include <memory>

#include "comm/mpi/mpi_group.h"

namespace duet::comm {

/// This process's rank of `group`; the only one.
std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<MpiGroup> group);

}  // namespace duet::comm
