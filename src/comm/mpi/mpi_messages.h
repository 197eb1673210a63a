#pragma once
/// Messages from one rank to another, synchronous: the sender leaves once the receiver has begun to take its rows.
#include "comm/mpi/mpi_group.h"

namespace duet::comm {

/// Both number the messages of a pair and direction from 1; the number is returned.
/// @throws RankError on both sides when dtype, row width or row count differ (checked mode), or on the receiver's when
///   the bytes do
std::uint64_t send_message(MpiGroup& group, int to, ConstRows rows);
std::uint64_t receive_message(MpiGroup& group, int from, Rows rows);

}  // namespace duet::comm
