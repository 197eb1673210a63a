#include "cli/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <fstream>

#include "cli/run_flags.h"
#include "core/error.h"

namespace duet::cli {

namespace {

bool is_number(const std::string& text) {
  double number = 0;
  return !text.empty() && CLI::detail::lexical_cast(text, number) && std::isalpha(text.back()) == 0;
}

std::string toml_value(const RunFlag& flag, const std::string& value) {
  if (flag.kind == FlagKind::list) return fmt::format("[{}]", value);
  if (flag.kind == FlagKind::on_off) return value == "on" ? "true" : "false";
  return is_number(value) ? value : fmt::format("\"{}\"", value);
}

[[noreturn]] void refuse_no_text(const std::filesystem::path& path) {
  throw InputError({.what = fmt::format("the configuration {} is no TOML text", path.string()),
                    .where = "--config",
                    .usually = "it is another kind of file, or damaged",
                    .fix = "give a TOML file, such as the config.toml of an earlier run"});
}

std::vector<CLI::ConfigItem> parse(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw InputError({.what = fmt::format("the configuration {} cannot be read", path.string()),
                      .where = "--config",
                      .usually = "the path is wrong: it counts from the folder you are in",
                      .fix = "give a TOML file, such as the config.toml of an earlier run"});
  }
  return CLI::ConfigTOML().from_config(file);
}

}  // namespace

std::string config_text(const RunConfig& config) {
  std::string text = "# A run of Duet. Use it again: ./duet compare --config THIS_FILE\n";
  for (const auto& flag : run_flags()) {
    text += fmt::format("\n# {}\n{} = {}\n", flag.help, flag.name, toml_value(flag, flag.get(config)));
  }
  return text;
}

void read_config(RunConfig& config, const std::filesystem::path& path) {
  for (const auto& item : parse(path)) {
    if (item.name == "++" || item.name == "--") continue;  // CLI11's marks of a [section]
    const auto name = item.parents.empty() ? item.name : item.fullname();
    if (!std::ranges::all_of(name, [](unsigned char c) { return c >= ' ' && c < 127; })) refuse_no_text(path);
    set_flag(config, name, fmt::format("{}", fmt::join(item.inputs, ",")), path.string());
  }
}

}  // namespace duet::cli
