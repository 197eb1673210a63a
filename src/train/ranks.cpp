#include "train/ranks.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <numeric>

#include "comm/gather_text.h"
#include "comm/launch/launch.h"
#include "comm/mpi/run_mpi.h"
#include "comm/nccl/run_nccl_launched.h"
#include "comm/rank_status.h"
#include "comm/threads/run_ranks.h"
#include "core/error.h"
#include "parallel/data_parallel.h"
#include "parallel/mesh.h"
#include "train/device.h"

namespace duet {

namespace {

// With neither --dp nor --ep, as many ranks share the experts as can; the rest repeat them. Where that is one rank only
// nothing would be expert-parallel: then it is all ranks, and the placement refuses.
int ranks_that_share(const RunConfig& config) {
  const auto& [ranks, dp, ep] = config.layout;
  if (dp != 0 || ep != 0) return ep;
  const auto most = static_cast<int>(std::gcd(std::int64_t{ranks}, config.model.experts));
  return most == 1 ? ranks : most;
}

}  // namespace

Layout layout_of(const RunConfig& config, Mode mode) {
  const auto& layout = config.layout;
  switch (mode) {
    case Mode::ep:
      return make_layout(make_mesh(layout.ranks, layout.dp, ranks_that_share(config)), config.model.experts);
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

// Ranks that may be processes. What goes wrong on one is written where the one who started it looks: into the run's
// folder, of which rank 0 tells the others.
void run_processes(const RunConfig& config, comm::Deadline deadline, const Body& body) {
  std::string folder;
  const auto on_failure = [&](int rank, const std::string& reason) {
    if (!folder.empty()) comm::write_status(folder, rank, reason);
  };
  const auto rank = [&](comm::Communicator& world) {
    check_size(world, config.layout.ranks);
    if (!world.shares_memory()) folder = comm::broadcast_text(world, config.folder);
    body(world);
  };
  if (config.transport == comm::Transport::mpi) {
    const bool gpu = config.device == DeviceKind::cuda;
    comm::run_mpi({.deadline = deadline, .checked = config.checked, .gpu = gpu, .on_failure = on_failure}, rank);
  } else {
    comm::run_nccl_launched(config.layout.ranks, {.deadline = deadline, .checked = config.checked}, rank, on_failure);
  }
}

int rank_on_this_host(const comm::Communicator& world) {
  return world.shares_memory() ? world.rank() : comm::read_launch(comm::process_environment()).local_rank;
}

}  // namespace

comm::Deadline deadline_of(const RunConfig& config) {
  return std::chrono::duration_cast<comm::Deadline>(std::chrono::duration<double>(config.deadline_s));
}

void run_on_ranks(const RunConfig& config, const Body& body) {
  const auto deadline = deadline_of(config);
  const auto rank = [&](comm::Communicator& world) {
    at::set_num_threads(1);
    start_rank_on(device_of_rank(config, rank_on_this_host(world)));
    world.set_algorithms(config.algorithms);
    body(world);
  };
  if (config.transport == comm::Transport::threads) {
    comm::run_ranks(config.layout.ranks, {.deadline = deadline}, rank);
  } else {
    run_processes(config, deadline, rank);
  }
}

}  // namespace duet
