#include "cli/run_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/flag_groups.h"
#include "core/error.h"
#include "core/suggest.h"

namespace duet::cli {

namespace {

// A file that is no TOML may hold anything.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return text;
}

}  // namespace

std::vector<RunFlag> run_flags() {
  auto flags = model_flags();
  for (auto* make : {rule_flags, data_flags, training_flags, layout_flags}) {
    for (auto& flag : make()) flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<std::pair<std::string, std::string>> flag_values(const RunConfig& config) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& flag : run_flags()) values.emplace_back(flag.name, flag.get(config));
  return values;
}

void set_flag(RunConfig& config, const std::string& name, const std::string& value, const std::string& where) {
  std::vector<std::string> names;
  for (const auto& flag : run_flags()) {
    names.push_back(flag.name);
    if (flag.name != name) continue;
    try {
      return flag.set(config, value);
    } catch (const InputError& error) {
      if (where.empty() || !error.text().where.empty()) throw;
      auto text = error.text();
      text.where = where;
      throw InputError(text);
    }
  }
  const auto meant = nearest(name, names);
  throw InputError(
      {.what = fmt::format("there is no setting '{}'", printable(name)),
       .where = where,
       .usually = {},
       .fix = meant.empty() ? "./duet compare --help lists them" : fmt::format("did you mean {}?", meant)});
}

}  // namespace duet::cli
