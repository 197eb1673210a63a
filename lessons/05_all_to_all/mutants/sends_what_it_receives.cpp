// Misconception: what I send to a rank is as much as what I get from it.
// Says: send_rows says how many rows go to each rank
#include "comm/pairwise_all_to_all.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  std::int64_t to_send = 0, to_receive = 0;
  for (int peer = 0; peer < comm.size(); ++peer) {
    const auto sends = send_rows[peer], receives = receive_rows[peer];
    const auto outgoing = rows.narrow(0, to_send, receives);
    const auto incoming = received.narrow(0, to_receive, receives);
    to_send += receives;
    to_receive += receives;
    if (peer == comm.rank()) {
      incoming.copy_(outgoing);
      continue;
    }
    if (comm.rank() < peer && sends > 0) send(comm, outgoing, peer);
    if (receives > 0) receive(comm, incoming, peer);
    if (comm.rank() > peer && sends > 0) send(comm, outgoing, peer);
  }
}

}  // namespace duet::comm
