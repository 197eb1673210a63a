#pragma once
/// Where everything lives: the mesh of ranks and the placement of experts in each expert-parallel group.
#include "moe/placement.h"
#include "parallel/mesh.h"

namespace duet {

struct Layout {
  Mesh mesh;
  Placement placement;

  /// True when every rank holds every parameter, so that all gradients are synchronised alike.
  bool all_replicated() const { return mesh.ep == 1; }
};

/// @throws InputError unless mesh.ep divides the experts
Layout make_layout(const Mesh& mesh, std::int64_t experts);

}  // namespace duet
