#pragma once
/// What a run leaves in its folder: config.toml, trace.jsonl, table.txt, report.html.
#include <filesystem>
#include <string>
#include <vector>

#include "trace/writer.h"
#include "train/config.h"

namespace duet::cli {

class RunRecord {
 public:
  /// Makes the folder (cli/run_folder.h), and writes the configuration and the trace's header.
  RunRecord(const std::string& verb, const RunConfig& config, std::int64_t warm_up);

  void write(const trace::StepRecord& step) { writer_.write(step); }
  /// Ends the trace, and writes the table and the report.
  void finish(bool interrupted, const std::string& table, const std::vector<std::string>& sentences);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string title_;
  trace::TraceWriter writer_;
};

}  // namespace duet::cli
