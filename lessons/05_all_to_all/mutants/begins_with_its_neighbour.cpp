// Misconception: if the lower rank of each pair sends first, the order of the pairs does not matter.
// Says: waits in receive #1 for rank 0
#include "comm/pairwise_all_to_all.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  const auto outgoing = rows.split_with_sizes({send_rows.data(), send_rows.size()});
  const auto incoming = received.split_with_sizes({receive_rows.data(), receive_rows.size()});
  incoming[comm.rank()].copy_(outgoing[comm.rank()]);
  for (int step = 1; step < comm.size(); ++step) {
    const int peer = (comm.rank() + step) % comm.size();
    if (comm.rank() < peer && send_rows[peer] > 0) send(comm, outgoing[peer], peer);
    if (receive_rows[peer] > 0) receive(comm, incoming[peer], peer);
    if (comm.rank() > peer && send_rows[peer] > 0) send(comm, outgoing[peer], peer);
  }
}

}  // namespace duet::comm
