#pragma once
/// A tensor from one rank to another. All other exchanges can be built from these two.
#include "comm/communicator.h"
#include "core/tensor.h"

namespace duet::comm {

/// Returns once rank `to` has received `tensor`. Two ranks that both send first wait for each other for ever
/// (until the deadline, which says so).
void send(Communicator& comm, const at::Tensor& tensor, int to);

/// Fills `tensor`, whose shape and dtype are those of what rank `from` sends.
void receive(Communicator& comm, const at::Tensor& tensor, int from);

}  // namespace duet::comm
