#include "cli/run_record.h"

#include <fmt/format.h>

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

trace::Header header_of(const RunConfig& config, std::int64_t warm_up) {
  auto values = nlohmann::ordered_json::object();
  for (const auto& [flag, value] : flag_values(config)) values[flag] = value;
  trace::Header header;
  header.config = values.dump();
  header.world_size = config.layout.ranks;
  header.warm_up = warm_up;
  header.start_ns = now_ns();
  return header;
}

}  // namespace

RunRecord::RunRecord(const std::string& verb, const RunConfig& config, std::int64_t warm_up)
    : folder_(make_run_folder(verb, config.out)),
      title_(fmt::format("duet {}: {}", verb, describe(config))),
      writer_(folder_ / "trace.jsonl", header_of(config, warm_up)) {
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
