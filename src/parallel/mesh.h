#pragma once
/// How a world of ranks is cut into groups: ranks that share experts (ep) and ranks that repeat them (dp).
#include <memory>

#include "comm/communicator.h"

namespace duet {

/// World rank = dp index * ep + ep index. Data parallelism is (W, 1), expert parallelism (1, W), a hybrid any other.
struct Mesh {
  int dp = 1;
  int ep = 1;

  int world() const { return dp * ep; }
  int dp_index(int rank) const { return rank / ep; }
  int ep_index(int rank) const { return rank % ep; }
};

/// Completes and checks a mesh; a 0 is what the other leaves of `world` (both 0: ep is the whole world).
/// @throws InputError unless dp * ep = world
Mesh make_mesh(int world, int dp, int ep);

/// One rank's communicators.
struct MeshGroups {
  std::unique_ptr<comm::Communicator> world;  ///< all ranks of this layout
  std::unique_ptr<comm::Communicator> ep;     ///< the ranks that exchange tokens; each holds different experts
  std::unique_ptr<comm::Communicator> dp;     ///< the ranks that hold the same experts as this one
};

/// Collective over `world`. The groups are new communicators, recorded by `recorder`.
MeshGroups split_mesh(comm::Communicator& world, const Mesh& mesh, trace::Recorder* recorder);

}  // namespace duet
