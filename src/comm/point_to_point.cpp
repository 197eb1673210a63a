#include "comm/point_to_point.h"

#include "comm/tensor_rows.h"

namespace duet::comm {

void send(Communicator& comm, const at::Tensor& tensor, int to) { comm.send(rows_of(tensor, "send"), to); }

void receive(Communicator& comm, const at::Tensor& tensor, int from) {
  comm.receive(writable_rows_of(tensor, "receive"), from);
}

}  // namespace duet::comm
