#include "cli/verb_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/check_config.h"
#include "cli/config_file.h"
#include "cli/processes.h"
#include "cli/run_flags.h"
#include "core/suggest.h"

namespace duet::cli {

namespace {

void add_run_flag(CLI::App& verb, VerbFlags& flags, const RunFlag& flag) {
  const auto keep = [&flags, name = flag.name](const std::vector<std::string>& values) {
    flags.given[name] = fmt::format("{}", fmt::join(values, ","));
    return true;
  };
  if (flag.kind == FlagKind::on_off) {  // "off" takes back what a file says
    const auto on_or_off = [keep](const std::vector<std::string>& values) {
      return keep(values.empty() || values.front().empty() ? std::vector<std::string>{"on"} : values);
    };
    verb.add_option("--" + flag.name, on_or_off, flag.help)->expected(0, 1)->type_name("[on|off]")->group("The run");
    return;
  }
  auto* const option = verb.add_option("--" + flag.name, keep, flag.help);
  option->type_name(flag.kind == FlagKind::list ? "N[,N...]" : "")
      ->default_str(flag.get(RunConfig{}))
      ->group("The run");
  option->expected(1, flag.kind == FlagKind::list ? 4096 : 1);
  if (flag.kind == FlagKind::list) option->delimiter(',');
}

}  // namespace

RunConfig VerbFlags::config() const {
  RunConfig run;
  take_launch(run);
  if (!config_file.empty()) read_config(run, config_file);
  for (const auto& [name, value] : given) set_flag(run, name, value, "the command line");
  run.out = out;
  check_config(run);
  check_launch(run);
  return run;
}

void add_run_flags(CLI::App& verb, VerbFlags& flags) {
  for (const auto& flag : run_flags()) add_run_flag(verb, flags, flag);
  verb.add_option("--config", flags.config_file, "a TOML file of these settings; flags override it")->type_name("FILE");
  verb.add_option("--out", flags.out, "the run's folder, new or empty; otherwise runs/VERB-DATE-TIME")
      ->type_name("DIR");
  verb.add_flag("--json", flags.json, "print one JSON object and nothing else");
  verb.add_flag("--quiet", flags.quiet, "no progress line");
}

std::string nearest_flag(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back(name);
  }
  for (const auto& argument : arguments) {
    if (argument.rfind("--", 0) != 0) continue;
    const auto name = argument.substr(2, argument.find('=') - 2);
    if (std::find(names.begin(), names.end(), name) == names.end()) return nearest(name, names);
  }
  return {};
}

}  // namespace duet::cli
