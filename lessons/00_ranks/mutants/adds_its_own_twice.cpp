// Misconception: the sum starts from this rank's values, and the loop adds every rank's.
// Says: Each rank's own values are in its sum twice
#include "comm/all_reduce.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  const auto mine = values.clone();
  const auto theirs = at::empty_like(values);
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (comm.rank() < peer) send(comm, mine, peer);
    if (comm.rank() != peer) receive(comm, theirs, peer);
    if (comm.rank() > peer) send(comm, mine, peer);
    values.add_(comm.rank() == peer ? mine : theirs);
  }
}

}  // namespace duet::comm
