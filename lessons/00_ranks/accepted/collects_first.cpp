// Keeps every rank's values and adds them at the end; the higher rank of a pair sends first.
#include "comm/all_reduce.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  std::vector<at::Tensor> all;
  for (int rank = 0; rank < comm.size(); ++rank) all.push_back(at::empty_like(values));
  all[static_cast<std::size_t>(comm.rank())].copy_(values);
  for (int peer = comm.size() - 1; peer >= 0; --peer) {
    const auto& from_peer = all[static_cast<std::size_t>(peer)];
    if (peer < comm.rank()) {
      send(comm, values, peer);
      receive(comm, from_peer, peer);
    } else if (peer > comm.rank()) {
      receive(comm, from_peer, peer);
      send(comm, values, peer);
    }
  }
  values.copy_(at::stack(all).sum(0));
}

}  // namespace duet::comm
