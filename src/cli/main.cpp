// The program: verbs, and how every error ends.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/screen.h"
#include "cli/standard_streams.h"
#include "cli/verb_flags.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "core/suggest.h"

namespace {

namespace cli = duet::cli;
using duet::Error;
using duet::ExitCode;
using duet::format_error;
using duet::nearest;

int fail(ExitCode code, const std::string& text) {
  const bool red = cli::has_colours(2);
  fmt::print(stderr, "{}error:{} {}{}", red ? "\033[31m" : "", red ? "\033[0m" : "", text,
             text.ends_with('\n') ? "" : "\n");
  return static_cast<int>(code);
}

// The verb that was called, down to the last: `trace export`.
const CLI::App& innermost(const CLI::App& app) {
  const auto called = app.get_subcommands();
  return called.empty() ? app : innermost(*called.front());
}

std::string suggestion(const CLI::App& program, const std::vector<std::string>& arguments) {
  const auto& verb = innermost(program);
  if (const auto flag = cli::nearest_flag(verb, arguments); !flag.empty()) return "did you mean --" + flag + "?";
  std::vector<std::string> names;
  for (const auto* sub : verb.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
  for (const auto& argument : arguments) {
    const auto meant = argument.starts_with('-') ? "" : nearest(argument, names);
    if (!meant.empty() && meant != argument) return "did you mean " + meant + "?";
  }
  const auto& name = verb.get_name();
  return fmt::format("./duet {}--help lists what there is", name.empty() || name == "duet" ? "" : name + " ");
}

// A full disk shows when the results leave the buffer, the last of them here.
int delivered(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return fail(ExitCode::bad_input,
              format_error({.what = "the results cannot be written to standard output",
                            .where = {},
                            .usually = "it is closed, or the disk that it is sent to is full",
                            .fix = "send it elsewhere; what compare and train found is in their folder in runs/"}));
}

int parse_error(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return delivered(program.exit(error));  // --help
  const bool no_verb = program.get_subcommands().empty() && !arguments.empty() && !arguments.front().starts_with('-');
  const auto what = no_verb ? fmt::format("there is no verb '{}'", arguments.front()) : std::string(error.what());
  return fail(ExitCode::bad_input,
              format_error({.what = what, .where = {}, .usually = {}, .fix = suggestion(program, arguments)}));
}

}  // namespace

int main(int argc, char** argv) {
  cli::open_closed_streams();
  CLI::App program("Trains one mixture of experts with expert parallelism, data parallelism and on one device.",
                   "duet");
  program.set_version_flag("--version", "duet 0.1.0");
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  int code = 0;
  cli::add_compare(program, code);
  cli::add_train(program, code);
  cli::add_trace(program, code);
  cli::add_ranks(program, code);
  cli::add_exchange_check(program, code);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    program.parse(argc, argv);
    return delivered(code);
  } catch (const CLI::ParseError& error) {
    return parse_error(program, error, arguments);
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::rank_failed, "out of memory\n  fix     make --tokens, --hidden or --experts smaller");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return delivered(code);
    return fail(ExitCode::rank_failed, error.what());
  }
}
