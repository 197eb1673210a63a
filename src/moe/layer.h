#pragma once
/// The MoE layer: route, keep, plan, exchange, experts, exchange. One layer for every layout: with an
/// expert-parallel group of one rank the exchange is a copy.
#include "comm/communicator.h"
#include "core/tensor.h"
#include "moe/aux_kind.h"
#include "moe/capacity.h"
#include "moe/expert.h"
#include "moe/plan.h"
#include "moe/router.h"

namespace duet {

/// One rank's part of the layer, and its rules.
struct MoeLayer {
  RouterWeights router;
  std::vector<ExpertWeights> experts;  ///< this rank's, in the placement's order
  Placement placement;
  CapacityRule capacity;
  AuxKind aux = AuxKind::none;
};

/// What the layer gives, and what it decided on the way (for the loss, the record and the tests).
struct LayerOutput {
  at::Tensor out;                    ///< [T, D]
  std::vector<at::Tensor> aux;       ///< a scalar a shard
  Routing routing;                   ///< all T tokens
  std::vector<Kept> kept;            ///< a shard each
  std::shared_ptr<const Plan> plan;  ///< all shards in one
};

/// Runs the layer on this rank's tokens.
///
/// @param group the expert-parallel group; must outlive the backward pass
/// @param x [T, D], the shards one after the other
/// @param shard_tokens tokens of each shard; capacity and aux are counted a shard (scope `local`)
/// @param first_token the global index of x[0], for messages
/// @throws InputError naming the token if a logit is NaN or infinite
LayerOutput moe_forward(comm::Communicator& group, const MoeLayer& layer, const at::Tensor& x,
                        const std::vector<std::int64_t>& shard_tokens, std::int64_t first_token = 0);

}  // namespace duet
