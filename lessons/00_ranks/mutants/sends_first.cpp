// Misconception: send puts a message into a box and returns.
// Says: which waits in send #1 for rank
#include "comm/all_reduce.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  const auto mine = values.clone();
  const auto theirs = at::empty_like(values);
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer != comm.rank()) send(comm, mine, peer);
  }
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    receive(comm, theirs, peer);
    values.add_(theirs);
  }
}

}  // namespace duet::comm
