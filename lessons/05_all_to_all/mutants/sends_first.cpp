// Misconception: send puts a message into a box and returns.
// Says: which waits in send #1 for rank
#include "comm/pairwise_all_to_all.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  const auto outgoing = rows.split_with_sizes({send_rows.data(), send_rows.size()});
  const auto incoming = received.split_with_sizes({receive_rows.data(), receive_rows.size()});
  incoming[comm.rank()].copy_(outgoing[comm.rank()]);
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer != comm.rank() && send_rows[peer] > 0) send(comm, outgoing[peer], peer);
  }
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer != comm.rank() && receive_rows[peer] > 0) receive(comm, incoming[peer], peer);
  }
}

}  // namespace duet::comm
