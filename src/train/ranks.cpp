#include "train/ranks.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "comm/gather_text.h"
#include "comm/mpi/run_mpi.h"
#include "comm/rank_status.h"
#include "comm/threads/run_ranks.h"
#include "core/error.h"
#include "parallel/data_parallel.h"
#include "parallel/mesh.h"

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

namespace {

using Body = std::function<void(comm::Communicator&)>;

void check_size(const comm::Communicator& world, int ranks) {
  if (world.size() == ranks) return;
  throw InputError(
      {.what = fmt::format("--ranks {}, and {} processes were started", ranks, world.size()),
       .where = "mpirun -n, or srun -n",
       .usually = "the two numbers are given in two places",
       .fix = fmt::format("give --ranks {}, or leave mpirun out: --transport mpi starts it", world.size())});
}

// What goes wrong on a process is written where the one who started it looks: into the run's folder, of which rank 0
// tells the others.
void run_mpi(const RunConfig& config, comm::Deadline deadline, const Body& body) {
  std::string folder;
  const auto on_failure = [&](int rank, const std::string& reason) {
    if (!folder.empty()) comm::write_status(folder, rank, reason);
  };
  comm::run_mpi({.deadline = deadline, .checked = config.checked, .on_failure = on_failure},
                [&](comm::Communicator& world) {
                  check_size(world, config.layout.ranks);
                  folder = comm::broadcast_text(world, config.folder);
                  body(world);
                });
}

}  // namespace

void run_on_ranks(const RunConfig& config, const Body& body) {
  const auto deadline = std::chrono::duration_cast<comm::Deadline>(std::chrono::duration<double>(config.deadline_s));
  const auto rank = [&](comm::Communicator& world) {
    at::set_num_threads(1);
    world.set_algorithms(config.algorithms);
    body(world);
  };
  switch (config.transport) {
    case comm::Transport::threads:
      return comm::run_ranks(config.layout.ranks, {.deadline = deadline}, rank);
    case comm::Transport::mpi:
      return run_mpi(config, deadline, rank);
    case comm::Transport::nccl:
      break;
  }
  throw InputError("--transport nccl needs the CUDA build");
}

}  // namespace duet
