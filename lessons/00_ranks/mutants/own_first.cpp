// Misconception: the order of additions does not matter.
// Says: The ranks disagree
#include "comm/all_reduce.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  const auto mine = values.clone();
  const auto theirs = at::empty_like(values);
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    if (comm.rank() < peer) send(comm, mine, peer);
    receive(comm, theirs, peer);
    if (comm.rank() > peer) send(comm, mine, peer);
    values.add_(theirs);
  }
}

}  // namespace duet::comm
