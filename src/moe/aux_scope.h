#pragma once
/// One rank's part of an auxiliary loss, for rules that count a shard and for those that count the batch.
#include "comm/communicator.h"
#include "core/tensor.h"
#include "moe/aux_kind.h"

namespace duet {

/// What one auxiliary loss looks at.
struct AuxInput {
  at::Tensor logits;  ///< [T, E]
  at::Tensor probs;   ///< [T, E]
  at::Tensor counts;  ///< [E] int64, before dropping
};

/// The loss of one shard.
at::Tensor shard_aux(AuxKind kind, Estimator estimator, const AuxInput& shard);

/// What is known of the batch when all ranks have added up their parts.
struct GlobalBalance {
  at::Tensor counts;      ///< [E] int64
  at::Tensor importance;  ///< [E], sum of the probabilities; no gradient
  std::int64_t tokens = 0;
};

/// Adds up over `world`. Collective; one exchange of 2 E + 1 numbers.
GlobalBalance global_balance(comm::Communicator& world, const AuxInput& mine);

/// This rank's part of the batch's loss: the sum of the parts' values over the ranks is the loss, and the gradient of a
/// part is that of the whole loss for this rank's probabilities (Megatron-LM issue #3672 is about its constant).
at::Tensor global_aux_part(AuxKind kind, Estimator estimator, const AuxInput& mine, const GlobalBalance& all,
                           int world_size);

}  // namespace duet
