#include "comm/ring_all_reduce.h"

#include "comm/point_to_point.h"

namespace duet::comm {

void ring_all_reduce(Communicator& comm, const at::Tensor& values) {
  const int ranks = comm.size();
  const int me = comm.rank();
  const int next = (me + 1) % ranks;
  const int previous = (me + ranks - 1) % ranks;
  const auto chunks = values.view(-1).tensor_split(ranks);
  const auto chunk = [&](int index) { return chunks[(index + ranks) % ranks]; };
  const auto pass_on = [&](const at::Tensor& out, const at::Tensor& in) {
    if (me % 2 == 0) send(comm, out, next);  // a send waits for its receive: odd ranks receive first
    receive(comm, in, previous);
    if (me % 2 == 1) send(comm, out, next);
  };
  for (int step = 0; step < ranks - 1; ++step) {
    const auto arrived = at::empty_like(chunk(me - step - 1));
    pass_on(chunk(me - step), arrived);
    chunk(me - step - 1).add_(arrived);
  }
  for (int step = 0; step < ranks - 1; ++step) pass_on(chunk(me + 1 - step), chunk(me - step));
}

}  // namespace duet::comm
