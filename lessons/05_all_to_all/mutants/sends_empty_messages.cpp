// Misconception: an empty message costs nothing.
// Says: also an empty one
#include "comm/pairwise_all_to_all.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  std::int64_t to_send = 0, to_receive = 0;
  for (int peer = 0; peer < comm.size(); ++peer) {
    const auto sends = send_rows[peer], receives = receive_rows[peer];
    const auto outgoing = rows.narrow(0, to_send, sends);
    const auto incoming = received.narrow(0, to_receive, receives);
    to_send += sends;
    to_receive += receives;
    if (peer == comm.rank()) {
      incoming.copy_(outgoing);
      continue;
    }
    if (comm.rank() < peer) send(comm, outgoing, peer);
    receive(comm, incoming, peer);
    if (comm.rank() > peer) send(comm, outgoing, peer);
  }
}

}  // namespace duet::comm
