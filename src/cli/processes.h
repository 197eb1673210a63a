#pragma once
/// What a verb does differently when its ranks are processes.
#include <filesystem>

#include "train/config.h"

namespace duet::cli {

/// Takes over what a launcher has already decided, for flags to override: how many ranks, and with mpirun and srun the
/// transport. @throws InputError when its environment is half set or wrong (comm/launch/launch.h)
void take_launch(RunConfig& config);

/// @throws InputError when the launcher that started this process and the configuration do not fit
void check_launch(const RunConfig& config);

/// Whether this process was started by a person and the ranks are still to be started: --transport mpi without mpirun
/// or srun before it.
bool starts_processes(const RunConfig& config);

/// Runs this program again under mpirun (cli/mpirun.h), with --out `folder`, which is there. @return the exit code
int run_as_processes(const RunConfig& config, const std::filesystem::path& folder);

/// Whether rank 0 is in this process: the one that writes the run's folder and tells the results.
bool has_rank_zero(const RunConfig& config);

}  // namespace duet::cli
