// ./duet compare: expert parallelism, data parallelism and one device side by side.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/compare_json.h"
#include "cli/processes.h"
#include "cli/recorded_compare.h"
#include "cli/run_folder.h"
#include "cli/screen.h"
#include "cli/sweep.h"
#include "cli/take_gpus.h"
#include "cli/verb_flags.h"
#include "cli/verbs.h"
#include "core/error.h"

namespace duet::cli {

namespace {

struct CompareFlags : VerbFlags {
  std::string sweep;
};

int compare(const CompareFlags& flags) {
  const auto config = flags.config();
  if (starts_processes(config)) return run_as_processes(config, make_run_folder("compare", config.out));
  const auto gpus = take_gpus(config);
  if (!has_rank_zero(config)) {
    accompany_compare(config);
    return static_cast<int>(ExitCode::done);
  }
  Progress progress(!flags.quiet && !flags.json && is_terminal(2));
  const auto run = recorded_compare(config, {}, progress);
  const auto folder = run.folder.string();
  if (flags.json) {
    fmt::print("{}\n", compare_json(run.result, run.sentences, folder).dump(2));
  } else {
    fmt::print("{}\n{}/: config.toml, trace.jsonl, table.txt, report.html\n", run.table, folder);
  }
  return static_cast<int>(run.result.equal ? ExitCode::done : ExitCode::check_failed);
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
