#include "cli/processes.h"

#include "cli/mpirun.h"
#include "comm/mpi/run_mpi.h"

#include <cstdlib>

namespace duet::cli {

namespace {

int process_rank() {
  for (const auto* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

}  // namespace

bool starts_processes(const RunConfig& config) {
  return config.transport == comm::Transport::mpi && !comm::started_by_mpi();
}

int run_as_processes(const RunConfig& config, const std::filesystem::path& folder) {
  auto arguments = own_arguments();
  if (config.out.empty()) arguments.insert(arguments.end(), {"--out", folder.string()});
  return run_under_mpirun(config.layout.ranks, arguments, folder);
}

bool has_rank_zero(const RunConfig& config) {
  return config.transport == comm::Transport::threads || process_rank() == 0;
}

}  // namespace duet::cli
