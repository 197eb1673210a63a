// Misconception: the lesson is about calling an all-reduce.
// Says: the communicator's own collective
#include "comm/all_reduce.h"

#include "comm/tensor_rows.h"

namespace duet::comm {

void all_reduce_naive(Communicator& comm, const at::Tensor& values) {
  comm.all_reduce(writable_rows_of(values, "all_reduce"));
}

}  // namespace duet::comm
