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

class RunRecord {
 public:
  /// Makes the folder (cli/run_folder.h), and writes the configuration and the trace's header.
  /// @param mode the only one that is run, or empty
  RunRecord(const std::string& verb, const RunConfig& config, std::int64_t warm_up, const std::string& mode = {});

  /// Goes on with an earlier run.
  /// @param folder the run's own, or a new one
  /// @param before the steps that stay in the trace; times go on behind theirs
  RunRecord(const std::string& verb, const RunConfig& config, const std::filesystem::path& folder,
            const std::string& mode, std::span<const trace::StepRecord> before);

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
