#pragma once
/// The transport whose ranks have a GPU each and talk over NCCL. Rows lie on the rank's device.
#include <memory>

#include "comm/nccl/nccl_group.h"

namespace duet::comm {

std::unique_ptr<Communicator> make_nccl_communicator(std::shared_ptr<NcclGroup> group);

}  // namespace duet::comm
