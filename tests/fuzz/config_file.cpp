/// The reader of TOML configurations on any bytes: it sets what they say or throws an InputError, and a configuration
/// that it read is one that it reads again from its own text.
#include "cli/config_file.h"

#include <unistd.h>

#include <fstream>
#include <optional>

#include "cli/run_flags.h"
#include "core/error.h"
#include "tests/fuzz/target.h"

namespace duet::test {

namespace {

// One file a process, since a campaign may run several. It stays in memory where the system has such a folder.
std::filesystem::path scratch_file() {
  const std::filesystem::path memory = "/dev/shm";
  const auto folder = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  return folder / ("duet_fuzz_" + std::to_string(getpid()) + ".toml");
}

RunConfig read(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
  RunConfig config;
  cli::read_config(config, file);
  return config;
}

}  // namespace

bool takes(const std::string& bytes) {
  const auto file = scratch_file();
  std::optional<RunConfig> config;
  try {
    config = read(file, bytes);
  } catch (const InputError& error) {
    expect(!error.text().what.empty(), "an error without words");
  }
  if (config) {
    const auto again = read(file, cli::config_text(*config));
    expect(cli::flag_values(again) == cli::flag_values(*config), "a configuration reads back as another one");
  }
  std::filesystem::remove(file);
  return config.has_value();
}

}  // namespace duet::test
