#pragma once
/// A comparison that leaves its run's folder: what `compare` and each size of its sweep do.
#include <filesystem>
#include <string>
#include <vector>

#include "cli/screen.h"
#include "train/compare.h"

namespace duet::cli {

struct RecordedCompare {
  CompareResult result;
  std::vector<std::string> sentences;  ///< cli/conclusions.h
  std::string table;                   ///< with the sentences under it
  std::filesystem::path folder;
};

/// Runs the comparison and writes its folder (cli/run_record.h). Ctrl-C ends it after the block, and its folder is
/// whole all the same.
/// @param label said before the progress; empty: nothing
RecordedCompare recorded_compare(RunConfig config, const std::string& label, Progress& progress);

/// The same on a rank that is a process of its own and not rank 0: it takes part, and writes and tells nothing.
void accompany_compare(const RunConfig& config);

}  // namespace duet::cli
