// ./duet compare: expert parallelism, data parallelism and one device side by side.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/compare_json.h"
#include "cli/compare_table.h"
#include "cli/conclusions.h"
#include "cli/interrupt.h"
#include "cli/run_record.h"
#include "cli/screen.h"
#include "cli/sweep.h"
#include "cli/verb_flags.h"
#include "cli/verbs.h"
#include "core/error.h"

namespace duet::cli {

namespace {

struct CompareFlags : VerbFlags {
  std::string sweep;
};

std::string say_where(const RunRecord& record) {
  return fmt::format("{}/: config.toml, trace.jsonl, table.txt, report.html", record.folder().string());
}

int compare(const CompareFlags& flags) {
  const auto config = flags.config();
  const CompareOptions options;
  RunRecord record("compare", config, std::min(options.warm_up, config.steps / 2));
  Progress progress(!flags.quiet && !flags.json && is_terminal(2));
  const auto& stop = stop_on_interrupt();
  const auto result = run_compare(config, options,
                                  {.on_step = [&](const trace::StepRecord& step) { record.write(step); },
                                   .on_progress = [&](std::string_view what, std::int64_t done,
                                                      std::int64_t total) { progress.update(what, done, total); },
                                   .stop = &stop});
  progress.clear();

  const auto sentences = conclusions(result);
  auto table = compare_table(result) + "\n";
  for (const auto& sentence : sentences) table += sentence + "\n";
  record.finish(stop.load(), table, sentences);
  if (flags.json) {
    fmt::print("{}\n", compare_json(result, record.folder().string()).dump(2));
  } else {
    fmt::print("{}\n{}\n", table, say_where(record));
  }
  return static_cast<int>(result.equal ? ExitCode::done : ExitCode::check_failed);
}

}  // namespace

void add_compare(CLI::App& program, int& code) {
  auto* const verb =
      program.add_subcommand("compare", "train all three side by side: time, bytes, memory, loss, equality");
  const auto flags = std::make_shared<CompareFlags>();
  add_run_flags(*verb, *flags);
  verb->add_option("--sweep", flags->sweep, "compare at several sizes: tokens=64,256,1024, hidden=... or experts=...")
      ->type_name("NAME=N,N");
  verb->callback([flags, &code] { code = flags->sweep.empty() ? compare(*flags) : sweep(*flags, flags->sweep); });
}

}  // namespace duet::cli
