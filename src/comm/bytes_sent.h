#pragma once
/// How many payload bytes an operation takes off a rank, by its posting: the same count on every transport.
#include "comm/posting.h"

namespace duet::comm {

/// Payload bytes that leave `rank` of `size`. For all_reduce those of a ring (reduce-scatter, then all-gather), summed
/// over ranks 2 (W - 1) N size.
std::int64_t bytes_sent(const Posting& posting, int rank, int size);

}  // namespace duet::comm
