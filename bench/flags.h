#pragma once
/// What every benchmark program takes.
#include <CLI/CLI.hpp>

#include "train/config.h"

namespace duet::bench {

/// Reads --tokens, --steps, --ranks; exits with CLI11's message on others.
inline RunConfig read_flags(int argc, char** argv, const char* what) {
  RunConfig config;
  CLI::App app(what);
  app.add_option("--tokens", config.data.tokens, "tokens a rank")->capture_default_str();
  app.add_option("--steps", config.steps, "steps, the first 20 of them not counted")->check(CLI::Range(40, 1'000'000));
  app.add_option("--ranks", config.layout.ranks, "thread ranks")->check(CLI::Range(1, 64));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return config;
}

constexpr std::int64_t warm_up = 20;

}  // namespace duet::bench
