#pragma once
/// One step of training on one rank: forward, loss, backward, synchronise, optimise.
#include "parallel/mesh.h"
#include "train/adam.h"
#include "train/dataset.h"
#include "train/model.h"

namespace duet {

/// A batch, or one of the micro-batches that it is cut into, with the random numbers of each layer's router.
struct StepInput {
  Batch batch;
  std::vector<RouterDraws> draws;  ///< a layer each; empty: none
};

/// This rank's part of a step's figures. Sums over ranks give those of the global batch.
struct StepResult {
  double loss = 0;          ///< this rank's squared error / (T_global * dim); their sum is the mean squared error
  std::vector<double> aux;  ///< this rank's part of each auxiliary loss, over layers; their sum is the loss
  double clip_factor = 1;   ///< what the gradients were multiplied by
  std::vector<std::vector<LayerOutput>> outputs;  ///< [micro-batches][layers]
};

struct StepRules {
  std::vector<double> aux_weights;  ///< of each loss in MoeLayer::aux
  bool input_grad = true;  ///< the input stands for an embedding below, so its gradient is wanted: one more exchange
  double clip_norm = 0;    ///< 0: no limit
  double bias_rate = 0;    ///< of the choice bias, where the routers have one
};

/// The rules that a configuration means.
StepRules step_rules(const RunConfig& config);

/// Trains one step. Collective over `groups.world`; every rank gives as many micro-batches.
///
/// The loss is the sum over all tokens of the squared error, divided by T_global * dim, plus the weighted auxiliary
/// losses, summed over layers. This rank back-propagates W times its own part and sync_gradients averages over the W
/// ranks, so that unequal shards weigh right, and so do unequal micro-batches: T_global is that of all of them. Without
/// tokens anywhere the loss is 0.
StepResult train_step(const MeshGroups& groups, RankModel& model, Adam& adam, const std::vector<StepInput>& inputs,
                      const StepRules& rules);

}  // namespace duet
