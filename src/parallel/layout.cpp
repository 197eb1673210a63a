#include "parallel/layout.h"

namespace duet {

Layout make_layout(const Mesh& mesh, std::int64_t experts) {
  return {.mesh = mesh, .placement = place_in_blocks(experts, mesh.ep)};
}

}  // namespace duet
