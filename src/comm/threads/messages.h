#pragma once
/// Messages from one rank to another, synchronous: the sender leaves once the receiver has its copy.
#include "comm/threads/group.h"

namespace duet::comm {

/// Both number the messages of a pair and direction from 1; the number is returned.
/// @throws RankError on both sides when dtype, row width or row count differ
std::uint64_t send_message(Group& group, int from, int to, ConstRows rows);
std::uint64_t receive_message(Group& group, int to, int from, Rows rows);

}  // namespace duet::comm
