#pragma once
/// The auxiliary losses of a layer, in its scope.
#include "comm/communicator.h"
#include "moe/layer.h"

namespace duet {

/// One scalar a loss of `layer.aux`: this rank's part, whose sum over the world's ranks is the loss. Collective over
/// `world` where the scope is global.
///
/// @param kept a shard each
std::vector<at::Tensor> layer_aux(comm::Communicator& world, const MoeLayer& layer, const Routing& routing,
                                  const std::vector<Kept>& kept, const TokenSpan& span);

}  // namespace duet
