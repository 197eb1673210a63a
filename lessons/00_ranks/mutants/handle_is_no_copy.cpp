// Misconception: assigning a tensor copies its numbers.
// Says: two names for the same numbers
#include "comm/all_reduce.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  const auto mine = values;
  const auto theirs = at::empty_like(values);
  values.zero_();
  for (int peer = 0; peer < comm.size(); ++peer) {
    if (comm.rank() < peer) send(comm, mine, peer);
    if (comm.rank() != peer) receive(comm, theirs, peer);
    if (comm.rank() > peer) send(comm, mine, peer);
    if (comm.rank() != peer) values.add_(theirs);
  }
}

}  // namespace duet::comm
