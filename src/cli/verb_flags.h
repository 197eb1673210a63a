#pragma once
/// The flags of a verb on CLI11, and how they end up in a configuration.
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "train/config.h"

namespace duet::cli {

/// What a verb was given. The texts are read by `config`, so that a wrong one gets Duet's message.
struct VerbFlags {
  std::map<std::string, std::string> given;  ///< run flags by name, as text
  std::string config_file;
  std::string out;
  bool json = false;
  bool quiet = false;

  /// The defaults, what a launcher decided, then the --config file, then the flags; checked (cli/check_config.h,
  /// cli/processes.h).
  RunConfig config() const;
};

/// Adds the run flags, --config, --out, --json and --quiet to `verb`. `flags` must outlive it.
void add_run_flags(CLI::App& verb, VerbFlags& flags);

/// The long name nearest to the first of `arguments` that `app` does not know, or empty.
std::string nearest_flag(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace duet::cli
