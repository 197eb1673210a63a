#pragma once
/// What a run leaves in its folder: config.toml, trace.jsonl, table.txt, report.html.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/run_folder.h"
#include "trace/writer.h"
#include "train/config.h"

namespace duet::cli {

/// What a run goes on from.
struct EarlierRun {
  std::filesystem::path folder;               ///< to write to: the earlier run's own, or a new one
  std::span<const trace::StepRecord> before;  ///< the steps that stay in the trace; times go on behind theirs
  bool keep_trace = false;                    ///< the folder's trace could not be read, and is renamed, not replaced
};

class RunRecord {
 public:
  /// Makes the folder (cli/run_folder.h), and writes the configuration and the trace's header.
  /// @param mode the only one that is run, or empty
  RunRecord(const std::string& verb, const RunConfig& config, std::int64_t warm_up, const std::string& mode = {});

  /// Goes on with an earlier run.
  RunRecord(const std::string& verb, const RunConfig& config, const EarlierRun& earlier, const std::string& mode);

  void write(const trace::StepRecord& step) { writer_.write(step); }
  /// Ends the trace, and writes the table and the report.
  void finish(bool interrupted, const std::string& table, const std::vector<std::string>& sentences);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  FolderLock lock_;
  std::string title_;
  trace::TraceWriter writer_;
};

}  // namespace duet::cli
