// In rounds: send to the rank that is `step` ahead, receive from the one that is `step` behind. A rank whose target
// wraps round receives first, so that every circle of ranks has somebody who listens.
#include "comm/pairwise_all_to_all.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  std::vector<std::int64_t> outgoing(1, 0), incoming(1, 0);
  for (const auto count : send_rows) outgoing.push_back(outgoing.back() + count);
  for (const auto count : receive_rows) incoming.push_back(incoming.back() + count);
  const int me = comm.rank(), ranks = comm.size();
  const auto send_to = [&](int peer) {
    const auto at = static_cast<std::size_t>(peer);
    if (send_rows[at] > 0) send(comm, rows.slice(0, outgoing[at], outgoing[at + 1]), peer);
  };
  const auto receive_from = [&](int peer) {
    const auto at = static_cast<std::size_t>(peer);
    if (receive_rows[at] > 0) receive(comm, received.slice(0, incoming[at], incoming[at + 1]), peer);
  };
  for (int step = 1; step < ranks; ++step) {
    const int ahead = (me + step) % ranks, behind = (me + ranks - step) % ranks;
    if (me < ahead) send_to(ahead);
    receive_from(behind);
    if (me > ahead) send_to(ahead);
  }
  for (std::int64_t i = 0; i < send_rows[me]; ++i) {
    received.select(0, incoming[static_cast<std::size_t>(me)] + i)
        .copy_(rows.select(0, outgoing[static_cast<std::size_t>(me)] + i));
  }
}

}  // namespace duet::comm
