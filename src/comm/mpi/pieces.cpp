#include "comm/mpi/pieces.h"

namespace duet::comm {

std::int64_t piece_count(std::size_t bytes, std::int64_t largest) {
  const auto whole = static_cast<std::int64_t>(bytes);
  return whole == 0 ? 1 : (whole + largest - 1) / largest;
}

}  // namespace duet::comm
