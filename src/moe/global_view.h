#pragma once
/// The routing of the whole batch on every rank, which capacity of scope `global` needs.
#include "comm/communicator.h"
#include "moe/capacity.h"

namespace duet {

/// Gathers every rank's choices and what decides who stays (gates or draws). Collective over `world`.
///
/// Ranks may have different numbers of tokens: what travels is padded to the largest. So a rank sends
/// (W - 1) * largest * k * 16 bytes: the price of a global rule, which local rules do not pay.
///
/// @param routing this rank's tokens
/// @param rank_tokens tokens of every rank, in rank order
GlobalView gather_routing(comm::Communicator& world, const Routing& routing,
                          const std::vector<std::int64_t>& rank_tokens);

}  // namespace duet
