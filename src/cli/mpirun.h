#pragma once
/// Starts this program again, once a rank, under mpirun.
#include <filesystem>
#include <string>
#include <vector>

namespace duet::cli {

/// Runs `mpirun -n RANKS THIS_PROGRAM ARGUMENTS` to its end and returns its exit code. The ranks' output passes
/// through; when one of them fails, its reason (RUN/**/rank_R.status, comm/rank_status.h) is told first, and what
/// mpirun said lies in RUN/mpirun.log. The first Ctrl-C asks the ranks to end by themselves, the second ends them; no
/// process is left behind either way.
/// @param folder RUN, which is there
/// @throws InputError when mpirun is not installed
int run_under_mpirun(int ranks, const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// The words that this program was started with, less its name.
std::vector<std::string> own_arguments();

}  // namespace duet::cli
