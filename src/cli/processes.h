#pragma once
/// What a verb does differently when its ranks are processes.
#include <filesystem>

#include "train/config.h"

namespace duet::cli {

/// Whether this process was started by a person and the ranks are still to be started: --transport mpi without mpirun
/// or srun before it.
bool starts_processes(const RunConfig& config);

/// Runs this program again under mpirun (cli/mpirun.h), with --out `folder`, which is there. @return the exit code
int run_as_processes(const RunConfig& config, const std::filesystem::path& folder);

/// Whether rank 0 is in this process: the one that writes the run's folder and tells the results.
bool has_rank_zero(const RunConfig& config);

}  // namespace duet::cli
