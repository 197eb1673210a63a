#pragma once
/// Brings a text of each rank together.
#include <string>
#include <vector>

#include "comm/communicator.h"

namespace duet::comm {

/// Every rank's text on rank 0, ranks in order; empty elsewhere. Texts may be of any length, also empty. Collective.
std::vector<std::string> gather_text(Communicator& comm, const std::string& mine);

/// Rank 0's text on every rank. Collective.
std::string broadcast_text(Communicator& comm, const std::string& mine);

}  // namespace duet::comm
