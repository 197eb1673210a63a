#pragma once
/// Messages from one rank to another over NCCL, synchronous.
#include "comm/nccl/nccl_waits.h"

namespace duet::comm {

/// The sender offers (what, how much); the receiver answers once it is there, with what it wants; then the data moves.
/// ncclSend alone would return early: NCCL keeps a small message in a buffer of its own. Both sides also see at once
/// what does not fit, and two ranks that send to each other see that.
///
/// Both number the messages of a pair and direction from 1; the number is returned. They return after the data moved.
/// @throws RankError on both sides when dtype, row width or row count differ
std::uint64_t send_message(NcclGroup& group, int to, ConstRows rows);
std::uint64_t receive_message(NcclGroup& group, int from, Rows rows);

}  // namespace duet::comm
