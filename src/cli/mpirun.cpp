#include "cli/mpirun.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "cli/child_process.h"
#include "cli/interrupt.h"
#include "cli/screen.h"
#include "comm/rank_status.h"
#include "core/atomic_file.h"
#include "core/error.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_of(int ranks, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"mpirun", "-n", fmt::to_string(ranks)};
  if (::geteuid() == 0) command.emplace_back("--allow-run-as-root");  // a container; mpirun refuses root otherwise
  if (ranks > static_cast<int>(std::thread::hardware_concurrency())) command.emplace_back("--oversubscribe");
  command.emplace_back(fs::read_symlink("/proc/self/exe").string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::unique_ptr<ChildProcess> start(const std::vector<std::string>& command) {
  std::vector<std::string> environment;
  if (is_terminal(STDERR_FILENO)) environment.emplace_back("DUET_STDERR_IS_TERMINAL=1");
  try {
    return std::make_unique<ChildProcess>(command, environment);
  } catch (const InputError& error) {
    throw InputError({.what = error.text().what,
                      .where = "--transport mpi, which starts its ranks with mpirun",
                      .usually = "Open MPI is not installed",
                      .fix = "sudo apt-get install openmpi-bin libopenmpi-dev, or leave --transport out: "
                             "then ranks are threads"});
  }
}

// Progress goes through at once: it is what stands on a line that is drawn anew. The rest waits for the end, so that
// mpirun's page about a failed process does not come before the reason.
class Errors {
 public:
  void take(const std::string& text) {
    if (text.starts_with('\r')) {
      fmt::print(stderr, "{}", text);
      std::fflush(stderr);
    } else {
      kept_ += text;
    }
  }
  const std::string& kept() const { return kept_; }

 private:
  std::string kept_;
};

int wait_for(ChildProcess& child, Errors& errors) {
  const auto& stop = stop_on_interrupt();
  bool asked = false;
  while (!child.exit_code()) {
    errors.take(child.read_errors());
    if (stop && !asked) {
      child.signal(SIGUSR1);  // mpirun passes it on to the ranks
      asked = true;
    }
  }
  for (auto rest = child.read_errors(); !rest.empty(); rest = child.read_errors()) errors.take(rest);
  return *child.exit_code();
}

}  // namespace

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

int run_under_mpirun(int ranks, const std::vector<std::string>& arguments, const fs::path& folder) {
  const auto child = start(command_of(ranks, arguments));
  Errors errors;
  const int code = wait_for(*child, errors);
  const auto statuses = comm::read_statuses(folder);
  if (code == 0 || code == static_cast<int>(ExitCode::check_failed)) {
    if (code == 0) fmt::print(stderr, "{}", errors.kept());
    return code;
  }
  if (statuses.empty()) {
    fmt::print(stderr, "{}", errors.kept());
    return code;
  }
  fmt::print(stderr, "error: {}", statuses.front().reason);
  write_file(folder / "mpirun.log", errors.kept());
  fmt::print(stderr, "  more    {}: what mpirun said\n", (folder / "mpirun.log").string());
  return code;
}

}  // namespace duet::cli
