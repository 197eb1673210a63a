#pragma once
/// The error of a message that came with another size than the receiver expected.
#include <string>

#include "comm/mpi/mpi_group.h"
#include "comm/mpi/transfers.h"

namespace duet::comm {

/// @param operation "all_to_all #3"
ErrorText wrong_size_error(const WrongSize& wrong, const MpiGroup& group, const std::string& operation);

}  // namespace duet::comm
