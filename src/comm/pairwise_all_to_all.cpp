#include "comm/pairwise_all_to_all.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  const auto outgoing = rows.split_with_sizes({send_rows.data(), send_rows.size()});
  const auto incoming = received.split_with_sizes({receive_rows.data(), receive_rows.size()});
  const auto send_to = [&](int peer) {
    if (send_rows[peer] > 0) send(comm, outgoing[peer], peer);
  };
  const auto receive_from = [&](int peer) {
    if (receive_rows[peer] > 0) receive(comm, incoming[peer], peer);
  };
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (comm.rank() == peer) {
      incoming[peer].copy_(outgoing[peer]);
    } else if (comm.rank() < peer) {  // a send waits for its receive: of each pair, the lower rank sends first
      send_to(peer);
      receive_from(peer);
    } else {
      receive_from(peer);
      send_to(peer);
    }
  }
}

}  // namespace duet::comm
