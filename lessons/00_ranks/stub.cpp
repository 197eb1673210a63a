// Lesson 00: ranks. Only this file is yours; README.md beside the lesson tells the idea.
#include "comm/all_reduce.h"

#include <stdexcept>

#include "comm/point_to_point.h"

namespace duet::comm {

// comm    comm.rank() is this rank's number, comm.size() how many there are
// values  [any shape], the same shape and type on every rank; on return the sum over all ranks, in place
void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  // TODO: for each other rank, one send and one receive; add what came.
  //   send(comm, tensor, to)        waits until rank `to` has received
  //   receive(comm, tensor, from)   waits for it, and overwrites `tensor`
  static_cast<void>(comm), static_cast<void>(values);  // take this line away when you use them
  throw std::runtime_error("not written yet: all_reduce_naive");
}

}  // namespace duet::comm
