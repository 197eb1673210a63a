// Misconception: rows may lie in the order in which they were got.
// Says: sources in order
#include "comm/pairwise_all_to_all.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  std::vector<std::int64_t> starts(1, 0);
  for (const auto sends : send_rows) starts.push_back(starts.back() + sends);
  const auto outgoing = [&](int peer) {
    return rows.narrow(0, starts[static_cast<std::size_t>(peer)], send_rows[peer]);
  };
  received.narrow(0, 0, receive_rows[comm.rank()]).copy_(outgoing(comm.rank()));
  std::int64_t to_receive = receive_rows[comm.rank()];
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    const auto incoming = received.narrow(0, to_receive, receive_rows[peer]);
    to_receive += receive_rows[peer];
    if (comm.rank() < peer && send_rows[peer] > 0) send(comm, outgoing(peer), peer);
    if (receive_rows[peer] > 0) receive(comm, incoming, peer);
    if (comm.rank() > peer && send_rows[peer] > 0) send(comm, outgoing(peer), peer);
  }
}

}  // namespace duet::comm
