#include "comm/point_to_point.h"

#include "comm/staging.h"
#include "comm/tensor_rows.h"

namespace duet::comm {

void send(Communicator& comm, const at::Tensor& tensor, int to) {
  static_cast<void>(rows_of(tensor, "send"));  // refused as it is, not as a copy
  const auto rows = staged(comm, tensor);
  comm.send(rows_of(rows, "send"), to);
}

void receive(Communicator& comm, const at::Tensor& tensor, int from) {
  static_cast<void>(writable_rows_of(tensor, "receive"));
  const auto rows = staging_like(comm, tensor);
  comm.receive(writable_rows_of(rows, "receive"), from);
  copy_back(rows, tensor);
}

}  // namespace duet::comm
