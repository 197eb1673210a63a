#pragma once
/// A run's configuration as a TOML file: what --config reads, and what every run leaves in its folder.
#include <filesystem>
#include <string>

#include "train/config.h"

namespace duet::cli {

/// Every flag as a line `name = value` under its explanation.
std::string config_text(const RunConfig& config);

/// Sets what the file at `path` says.
/// @throws InputError when there is no such file, or it has a setting or value that there is not
void read_config(RunConfig& config, const std::filesystem::path& path);

}  // namespace duet::cli
