// Misconception: a name that is assigned a new tensor changes the caller's.
// Says: No rank's values changed
#include "comm/all_reduce.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  const auto theirs = at::empty_like(values);
  auto sum = values;
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    if (comm.rank() < peer) send(comm, values, peer);
    receive(comm, theirs, peer);
    if (comm.rank() > peer) send(comm, values, peer);
    sum = sum + theirs;
  }
}

}  // namespace duet::comm
