#include "comm/bytes_sent.h"

#include <numeric>

#include "comm/add_rows.h"

namespace duet::comm {

std::int64_t bytes_sent(const Posting& posting, int rank, int size) {
  const auto width = static_cast<std::int64_t>(size_of(posting.dtype));
  const auto chunk = [&](int index) { return chunk_of(posting.values, size, index % size).size; };
  switch (posting.operation) {
    case trace::Operation::all_to_all: {
      const auto all = std::accumulate(posting.send_rows.begin(), posting.send_rows.end(), std::int64_t{0});
      return (all - posting.send_rows[static_cast<std::size_t>(rank)]) * posting.row_elements * width;
    }
    case trace::Operation::all_reduce:  // each half of the ring passes on all chunks but one
      return size == 1 ? 0 : (2 * posting.values - chunk(rank + 1) - chunk(rank + 2)) * width;
    case trace::Operation::all_gather:
    case trace::Operation::reduce_scatter:
      return (size - 1) * posting.values * width;
    case trace::Operation::broadcast:
      return rank == posting.root ? (size - 1) * posting.values * width : 0;
    default:
      return 0;
  }
}

}  // namespace duet::comm
