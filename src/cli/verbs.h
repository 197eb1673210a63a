#pragma once
/// The verbs. Each adds its subcommand to the program; when that is called, `code` gets the exit code.
#include <CLI/CLI.hpp>

namespace duet::cli {

void add_compare(CLI::App& program, int& code);
void add_train(CLI::App& program, int& code);
void add_trace(CLI::App& program, int& code);
void add_ranks(CLI::App& program, int& code);
void add_exchange_check(CLI::App& program, int& code);

}  // namespace duet::cli
