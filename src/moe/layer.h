#pragma once
/// The MoE layer: route, keep, plan, exchange, experts, exchange. One layer for every layout: with an
/// expert-parallel group of one rank the exchange is a copy.
#include "comm/communicator.h"
#include "core/tensor.h"
#include "moe/any_expert.h"
#include "moe/aux_kind.h"
#include "moe/capacity.h"
#include "moe/plan.h"
#include "moe/router.h"

namespace duet {

/// One rank's part of the layer, and its rules.
struct MoeLayer {
  RouterWeights router;
  std::vector<AnyExpert> experts;  ///< this rank's, in the placement's order
  Placement placement;
  CapacityRule capacity;
  bool residual = false;     ///< a dropped pair adds its token unchanged (Switch's skip connection), not zero
  std::vector<AuxKind> aux;  ///< the losses to compute, in this order
  Scope aux_scope = Scope::local;
  Estimator estimator = Estimator::unbiased;  ///< of aux `std` and `cv`
};

/// The ranks that a layer talks to. Both must outlive the backward pass.
struct LayerGroups {
  comm::Communicator& ep;     ///< exchange tokens; each holds different experts
  comm::Communicator& world;  ///< all that share the batch; used by rules of scope `global`
};

/// Which part of the batch a rank's tokens are.
struct TokenSpan {
  std::vector<std::int64_t> shard_tokens;  ///< tokens of each of this rank's shards; rules of scope `local` count these
  std::int64_t first_token = 0;            ///< global index of the first, for messages
  std::int64_t global_shards = 1;          ///< shards of the whole batch: a local auxiliary loss is a mean over them
  std::vector<std::int64_t> rank_tokens;   ///< tokens of every rank of the world; read by scope `global` only
};

/// Random numbers for this batch, keyed by token (train/draws.h); an undefined one is not used.
struct RouterDraws {
  at::Tensor jitter;  ///< [T, dim], the router's input is multiplied by it (Switch Transformer, section 2.2)
  at::Tensor noise;   ///< [T, E], see route()
  at::Tensor drop;    ///< [T, k] float64, for DropPolicy::random
};

/// What the layer gives, and what it decided on the way (for the loss, the record and the tests).
struct LayerOutput {
  at::Tensor out;                    ///< [T, D]
  std::vector<at::Tensor> aux;       ///< a scalar a loss: this rank's part; the sum over the world's ranks is the loss
  Routing routing;                   ///< all T tokens
  std::vector<Kept> kept;            ///< a shard each
  std::shared_ptr<const Plan> plan;  ///< all shards in one
};

/// Runs the layer on this rank's tokens. Collective over the ep group; over the world where a rule is global.
///
/// @param x [T, D], the shards one after the other
/// @throws InputError naming the token if a logit is NaN or infinite
LayerOutput moe_forward(const LayerGroups& groups, const MoeLayer& layer, const at::Tensor& x, const TokenSpan& span,
                        const RouterDraws& draws = {});

}  // namespace duet
