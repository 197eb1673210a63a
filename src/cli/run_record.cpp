#include "cli/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/config_file.h"
#include "cli/describe.h"
#include "cli/run_flags.h"
#include "cli/run_folder.h"
#include "core/atomic_file.h"
#include "core/clock.h"
#include "trace/reader.h"
#include "trace/report.h"

namespace duet::cli {

namespace {

// A report holds all steps in memory; a trace beyond this is for `./duet trace report` on a machine that has room.
constexpr std::uintmax_t largest_reported = 400'000'000;

trace::Header header_of(const RunConfig& config, const std::string& mode) {
  auto values = nlohmann::ordered_json::object();
  for (const auto& [flag, value] : flag_values(config)) values[flag] = value;
  if (!mode.empty()) values["mode"] = mode;
  trace::Header header;
  header.config = values.dump();
  header.world_size = config.layout.ranks;
  header.transport = comm::name(config.transport);
  header.start_ns = now_ns();
  return header;
}

trace::Header with_warm_up(trace::Header header, std::int64_t warm_up) {
  header.warm_up = warm_up;
  return header;
}

// Times are told since the start of the run, so those of the new steps go on where the earlier ones ended.
trace::Header behind(trace::Header header, std::span<const trace::StepRecord> before) {
  std::int64_t end_ns = 0;
  for (const auto& step : before) {
    for (const auto& rank : step.ranks) {
      for (const auto& event : rank.events) end_ns = std::max(end_ns, event.end_ns);
    }
  }
  header.start_ns -= end_ns;
  return header;
}

// Where the trace goes. What stands there and could not be read takes another name first.
std::filesystem::path trace_path(const EarlierRun& earlier) {
  auto path = earlier.folder / "trace.jsonl";
  if (!earlier.keep_trace) return path;
  for (const auto* ending : {"", ".partial"}) {
    const auto file = path.string() + ending;
    std::error_code ignored;
    if (std::filesystem::file_size(file, ignored) > 0 && !ignored) {
      std::filesystem::rename(file, file + ".unread", ignored);
    }
  }
  return path;
}

// Files that a killed run did not get to rename. The trace is none of them: it is read under that name.
void remove_unfinished(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const auto& path = entry->path();
    if (path.extension() == ".partial" && path.filename() != "trace.jsonl.partial") {
      std::filesystem::remove(path, ignored);
    }
  }
}

}  // namespace

RunRecord::RunRecord(const std::string& verb, const RunConfig& config, std::int64_t warm_up, const std::string& mode)
    : folder_(make_run_folder(verb, config.out)),
      lock_(folder_),
      title_(fmt::format("duet {}: {}", verb, describe(config))),
      writer_(folder_ / "trace.jsonl", with_warm_up(header_of(config, mode), warm_up)) {
  write_file(folder_ / "config.toml", config_text(config));
}

RunRecord::RunRecord(const std::string& verb, const RunConfig& config, const EarlierRun& earlier,
                     const std::string& mode)
    : folder_(earlier.folder),
      lock_(folder_),
      title_(fmt::format("duet {}: {}", verb, describe(config))),
      writer_(trace_path(earlier), behind(header_of(config, mode), earlier.before), earlier.before) {
  remove_unfinished(folder_);
  write_file(folder_ / "config.toml", config_text(config));
}

void RunRecord::finish(bool interrupted, const std::string& table, const std::vector<std::string>& sentences) {
  writer_.finish(interrupted);
  write_file(folder_ / "table.txt", table);
  if (std::filesystem::file_size(folder_ / "trace.jsonl") > largest_reported) {
    fmt::print(stderr, "no report.html: the trace is too large for it to be made in passing; ./duet trace report {}\n",
               folder_.string());
    return;
  }
  const auto trace = trace::read_trace(folder_);
  write_file(folder_ / "report.html",
             trace::report_html(trace, {.title = title_, .table_text = table, .sentences = sentences}));
}

}  // namespace duet::cli
