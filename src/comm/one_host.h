#pragma once
/// Whether the ranks share a clock: only then may one rank's times be compared with another's, and waiting told apart
/// from transfer (design.md, section 5).
#include <cstdint>

#include "comm/communicator.h"

namespace duet::comm {

/// A number that is the same for all processes that run under one kernel since it booted; containers share it, as they
/// share the clock.
std::uint64_t host_number();

/// True on every rank if all gave the same number, else false on every rank. Collective.
bool on_one_host(Communicator& comm, std::uint64_t mine = host_number());

}  // namespace duet::comm
