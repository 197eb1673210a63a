#pragma once
/// A posting as numbers that travel between processes, for the check that all ranks agree.
#include <cstdint>
#include <span>
#include <vector>

#include "comm/posting.h"

namespace duet::comm {

/// What a rank tells the others before an operation: its side of it, and the number that a communicator split from this
/// one would have if it were the first rank there.
struct Header {
  Posting posting;
  std::uint32_t new_group = 0;
};

/// How many numbers the header of an operation of `ranks` ranks is.
std::size_t header_size(int ranks);
std::vector<std::int64_t> to_numbers(const Header& header, int ranks);
Header from_numbers(std::span<const std::int64_t> numbers);

}  // namespace duet::comm
