#include "train/ranks.h"

#include <ATen/Parallel.h>

#include "comm/threads/run_ranks.h"
#include "parallel/data_parallel.h"
#include "parallel/mesh.h"
#include "train/device.h"

namespace duet {

Layout layout_of(const RunConfig& config, Mode mode) {
  const auto& layout = config.layout;
  switch (mode) {
    case Mode::ep:
      return make_layout(make_mesh(layout.ranks, layout.dp, layout.ep), config.model.experts);
    case Mode::dp:
      return data_parallel(layout.ranks, config.model.experts);
    case Mode::single:
      break;
  }
  return data_parallel(1, config.model.experts);
}

void run_on_ranks(const RunConfig& config, const std::function<void(comm::Communicator&)>& body) {
  const std::chrono::duration<double> deadline(config.deadline_s);
  const comm::RunOptions options{.deadline = std::chrono::duration_cast<comm::Deadline>(deadline)};
  comm::run_ranks(config.layout.ranks, options, [&](comm::Communicator& world) {
    at::set_num_threads(1);
    start_rank_on(device_of_rank(config, world.rank()));
    world.set_algorithms(config.algorithms);
    body(world);
  });
}

}  // namespace duet
