#pragma once
/// How a rank's data moves in each collective: messages between all pairs of ranks, sums in rank order.
///
/// Everything is made of messages to and from single ranks, not of MPI's own collectives: those name no rank that did
/// not come, and promise no order of addition. An all-reduce is a reduce-scatter (each rank receives its chunk from all
/// others and adds the chunks in rank order) and an all-gather of the sums: the same bits on every rank, and as many
/// bytes in all as a ring, 2 (W - 1) N size.
#include <memory>

#include "comm/mpi/mpi_group.h"
#include "comm/mpi/transfers.h"
#include "comm/posting.h"

namespace duet::comm {

/// One rank's side of one collective under way.
struct Move {
  const MpiGroup& group;
  const Posting& posting;
  std::uint64_t sequence;
  Transfers& transfers;
  std::unique_ptr<std::byte[]>& aside;  ///< the other ranks' parts of a sum
};

/// Posts what can travel at once, and copies what stays on this rank. Parts of no bytes are not sent.
void post_first(const Move& move);
/// Once that has arrived: adds up, and posts what travels then. @return whether there is more to wait for
bool post_second(const Move& move);

}  // namespace duet::comm
