#pragma once
/// A communicator of some of the ranks.
#include <span>

#include "comm/mpi/headers.h"
#include "comm/mpi/mpi_group.h"

namespace duet::comm {

/// The part of `parent` that this rank comes to, by what every rank of it asked for (`headers`, in rank order).
/// Collective over `parent`, all of whose ranks have come by then.
std::shared_ptr<MpiGroup> split_group(const MpiGroup& parent, std::span<const Header> headers);

}  // namespace duet::comm
