#pragma once
/// One step of training on one rank: forward, loss, backward, synchronise, optimise.
#include "parallel/mesh.h"
#include "train/adam.h"
#include "train/dataset.h"
#include "train/model.h"

namespace duet {

/// This rank's part of a step's figures. Sums over ranks give those of the global batch.
struct StepResult {
  double loss = 0;  ///< this rank's squared error / (T_global * dim); their sum is the mean squared error
  double aux = 0;   ///< this rank's auxiliary losses / global shards; their sum is the mean over shards
  LayerOutput output;
};

struct StepRules {
  double aux_weight = 0;
  bool input_grad = true;  ///< the input stands for an embedding below, so its gradient is wanted: one more exchange
};

/// Trains one step. Collective over `groups.world`.
///
/// The loss is the sum over all tokens of the squared error, divided by T_global * dim, plus the weighted auxiliary
/// loss, a mean over shards. This rank back-propagates W times its own part and sync_gradients averages over the W
/// ranks, so that unequal shards weigh right. Without tokens anywhere the loss is 0.
StepResult train_step(const MeshGroups& groups, RankModel& model, Adam& adam, const Batch& batch,
                      const StepRules& rules);

}  // namespace duet
