#pragma once
/// Finds where two modes first chose differently.
#include "comm/communicator.h"
#include "train/modes_run.h"
#include "train/rank_trainer.h"

namespace duet {

/// Compares a block's choices of `mode` with those of one device, which rank 0 alone has. Collective; every rank gets
/// the first difference among its own tokens.
///
/// @param parts this rank's tokens: the micro-batches, whose choices lie one after the other
/// @param mine this rank's steps of the block in `mode`
/// @param single rank 0's steps on one device; empty elsewhere
std::optional<RouteDifference> first_route_difference(comm::Communicator& world, Mode mode,
                                                      const std::vector<RankStepResult>& mine,
                                                      const std::vector<RankStepResult>& single,
                                                      const std::vector<ShardRange>& parts);

/// The earliest of the ranks' differences (of equal ones, the lowest rank's). Collective.
/// @param choices how many experts a token has: layers * k
std::optional<RouteDifference> earliest_difference(comm::Communicator& world,
                                                   const std::optional<RouteDifference>& mine, std::int64_t choices);

}  // namespace duet
