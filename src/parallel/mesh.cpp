#include "parallel/mesh.h"

#include <fmt/format.h>

#include "core/error.h"

namespace duet {

Mesh make_mesh(int world, int dp, int ep) {
  Mesh mesh{dp, ep};
  if (mesh.ep == 0) mesh.ep = mesh.dp == 0 ? world : world / mesh.dp;
  if (mesh.dp == 0) mesh.dp = mesh.ep > 0 ? world / mesh.ep : 0;
  if (mesh.dp < 1 || mesh.ep < 1 || mesh.world() != world) {
    throw InputError({.what = fmt::format("a mesh of dp {} x ep {} does not hold {} ranks", dp, ep, world),
                      .where = "--dp, --ep, --ranks",
                      .usually = "dp times ep must be the number of ranks",
                      .fix = fmt::format("give one of them; the other follows from --ranks {}", world)});
  }
  return mesh;
}

MeshGroups split_mesh(comm::Communicator& world, const Mesh& mesh, trace::Recorder* recorder) {
  const auto rank = world.rank();
  MeshGroups groups{.world = world.split(0, rank),
                    .ep = world.split(mesh.dp_index(rank), rank),
                    .dp = world.split(mesh.ep_index(rank), rank)};
  for (auto* group : {groups.world.get(), groups.ep.get(), groups.dp.get()}) group->set_recorder(recorder);
  return groups;
}

}  // namespace duet
