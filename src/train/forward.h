#pragma once
/// The model forward: its MoE layers one after the other.
#include "parallel/mesh.h"
#include "parallel/shard.h"
#include "train/model.h"

namespace duet {

/// Runs the layers on this rank's tokens; the last one's output is the model's. Collective over the groups.
///
/// @param x [T, dim]
/// @param draws a layer each; empty: none
std::vector<LayerOutput> model_forward(const MeshGroups& groups, const RankModel& model, const at::Tensor& x,
                                       const ShardRange& shards, const std::vector<RouterDraws>& draws = {});

}  // namespace duet
