// ./duet trace: look at a run again, or give it to another program.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/verbs.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "trace/chrome.h"
#include "trace/csv.h"
#include "trace/reader.h"
#include "trace/report.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

struct TraceFlags {
  std::string run;
  std::string output;
  bool chrome = false;
  bool csv = false;
};

trace::Trace read(const std::string& run) {
  auto trace = trace::read_trace(run);
  if (trace.torn) fmt::print(stderr, "the last line of the trace was cut off and is left out\n");
  if (!trace.complete) fmt::print(stderr, "the run did not come to its end; this is what it wrote\n");
  return trace;
}

// The run's table, where its folder has one.
std::string table_of(const fs::path& run) {
  std::ifstream file(fs::is_directory(run) ? run / "table.txt" : run.parent_path() / "table.txt");
  return {std::istreambuf_iterator<char>(file), {}};
}

void hand_over(const std::string& output, const std::string& text) {
  if (output.empty() || output == "-") {
    fmt::print("{}", text);
  } else {
    write_file(output, text);
  }
}

int export_trace(const TraceFlags& flags) {
  if (flags.chrome == flags.csv) {
    throw InputError({.what = "trace export needs one of --chrome and --csv",
                      .where = {},
                      .usually = {},
                      .fix = "./duet trace export --chrome RUN -o trace.json, and open it on ui.perfetto.dev"});
  }
  const auto trace = read(flags.run);
  hand_over(flags.output, flags.chrome ? trace::chrome_json(trace) : trace::events_csv(trace));
  return static_cast<int>(ExitCode::done);
}

int report(const TraceFlags& flags) {
  const auto trace = read(flags.run);
  hand_over(
      flags.output,
      trace::report_html(trace, {.title = "duet: " + flags.run, .table_text = table_of(flags.run), .sentences = {}}));
  return static_cast<int>(ExitCode::done);
}

int show(const TraceFlags& flags) {
  const auto trace = read(flags.run);
  fmt::print("{}", table_of(flags.run));
  fmt::print("{} steps in the trace, {} ranks, {}\n", trace.steps.size(), trace.header.world_size,
             trace.interrupted ? "ended early by hand"
             : trace.complete  ? "complete"
                               : "cut off");
  return static_cast<int>(ExitCode::done);
}

CLI::App* add(CLI::App& parent, const std::string& name, const std::string& help, TraceFlags& flags) {
  auto* const verb = parent.add_subcommand(name, help);
  verb->add_option("run", flags.run, "a run's folder, or its trace.jsonl")->required()->type_name("RUN");
  return verb;
}

void add_output(CLI::App& verb, TraceFlags& flags) {
  verb.add_option("-o,--output", flags.output, "the file to write; otherwise standard output")->type_name("FILE");
}

}  // namespace

void add_trace(CLI::App& program, int& code) {
  const auto flags = std::make_shared<TraceFlags>();
  auto* const verb = program.add_subcommand("trace", "look at a run again, or export it");
  verb->require_subcommand(1);

  auto* const exporting = add(*verb, "export", "write the events for another program", *flags);
  exporting->add_flag("--chrome", flags->chrome, "for ui.perfetto.dev and chrome://tracing");
  exporting->add_flag("--csv", flags->csv, "a line an event");
  add_output(*exporting, *flags);
  exporting->callback([flags, &code] { code = export_trace(*flags); });

  auto* const reporting = add(*verb, "report", "make the run's report.html again", *flags);
  add_output(*reporting, *flags);
  reporting->callback([flags, &code] { code = report(*flags); });

  add(*verb, "show", "print the run's table again", *flags)->callback([flags, &code] { code = show(*flags); });
}

}  // namespace duet::cli
