#pragma once
/// The transport whose ranks are threads of this process.
#include <memory>

#include "comm/threads/group.h"

namespace duet::comm {

/// Rank `rank` of `group`; the only one of that rank.
std::unique_ptr<Communicator> make_thread_communicator(std::shared_ptr<Group> group, int rank);

}  // namespace duet::comm
