#include "cli/processes.h"

#include <fmt/format.h>

#include "cli/mpirun.h"
#include "comm/launch/launch.h"
#include "comm/mpi/run_mpi.h"
#include "core/error.h"

namespace duet::cli {

namespace {

using comm::Launcher;
using comm::Transport;

comm::Launch launch_here() { return comm::read_launch(comm::process_environment()); }

[[noreturn]] void refuse(const comm::Launch& launch, const RunConfig& config, std::string usually, std::string fix) {
  throw InputError({.what = fmt::format("{} started {} processes, and --transport is {}", comm::name(launch.launcher),
                                        launch.world_size, comm::name(config.transport)),
                    .where = fmt::format("rank {} of {}", launch.rank, launch.world_size),
                    .usually = std::move(usually),
                    .fix = std::move(fix)});
}

}  // namespace

void take_launch(RunConfig& config) {
  const auto launch = launch_here();
  if (launch.launcher == Launcher::none) return;
  config.layout.ranks = launch.world_size;
  if (launch.launcher != Launcher::torchrun && comm::started_by_mpi()) config.transport = Transport::mpi;
}

void check_launch(const RunConfig& config) {
  const auto launch = launch_here();
  if (launch.launcher == Launcher::none) return;
  if (config.transport == Transport::threads && launch.world_size > 1) {
    refuse(launch, config, "then ranks are threads, and each process would train all of them",
           launch.launcher == Launcher::torchrun ? "--transport nccl, on GPUs; or leave torchrun out"
                                                 : "--transport mpi, or leave the launcher out");
  }
  if (config.transport == Transport::mpi && !comm::started_by_mpi()) {
    refuse(launch, config, "torchrun, and srun without --mpi, tell MPI nothing",
           fmt::format("mpirun -n {0} ./duet ..., srun --mpi=pmix -n {0} ./duet ..., or leave the launcher out",
                       launch.world_size));
  }
  if (config.transport != Transport::threads) comm::check_ranks(launch, config.layout.ranks);
}

bool starts_processes(const RunConfig& config) { return config.transport == Transport::mpi && !comm::started_by_mpi(); }

int run_as_processes(const RunConfig& config, const std::filesystem::path& folder) {
  auto arguments = own_arguments();
  if (config.out.empty()) arguments.insert(arguments.end(), {"--out", folder.string()});
  return run_under_mpirun(config.layout.ranks, arguments, folder);
}

bool has_rank_zero(const RunConfig& config) {
  return config.transport == Transport::threads || launch_here().rank == 0;
}

}  // namespace duet::cli
