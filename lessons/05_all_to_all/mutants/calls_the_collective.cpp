// Misconception: the lesson is about calling an all-to-all.
// Says: the communicator's own collective
#include "comm/pairwise_all_to_all.h"

#include "comm/tensor_rows.h"

namespace duet::comm {

void pairwise_all_to_all(Communicator& comm, const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                         std::span<const std::int64_t> receive_rows, const at::Tensor& received) {
  comm.all_to_all(rows_of(rows, "all_to_all"), send_rows, writable_rows_of(received, "all_to_all"), receive_rows);
}

}  // namespace duet::comm
