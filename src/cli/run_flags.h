#pragma once
/// The flags that say what is run. One list serves the command line, the TOML file and the trace's header.
#include <string>
#include <utility>
#include <vector>

#include "train/config.h"

namespace duet::cli {

enum class FlagKind { value, list, on_off };

/// A flag, and how its value is read into a configuration and written from it.
struct RunFlag {
  std::string name;
  std::string help;
  FlagKind kind;
  std::string (*get)(const RunConfig&);
  void (*set)(RunConfig&, const std::string&);  ///< throws InputError
};

/// In the order of --help.
std::vector<RunFlag> run_flags();

/// Name and value of every flag.
std::vector<std::pair<std::string, std::string>> flag_values(const RunConfig& config);

/// Sets a flag by name.
/// @param where where the name stands, for the message: "the command line", "runs/a/config.toml"
/// @throws InputError naming the nearest flag for one that there is not
void set_flag(RunConfig& config, const std::string& name, const std::string& value, const std::string& where);

}  // namespace duet::cli
