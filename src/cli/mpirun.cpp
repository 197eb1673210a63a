#include "cli/mpirun.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
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
  // Ranks of one machine need neither ssh nor a network, and in a container no process may read another's memory.
  // What the person has set goes before.
  std::vector<std::string> environment;
  for (const auto& [name, value] : {std::pair{"OMPI_MCA_plm", "isolated"},
                                    {"OMPI_MCA_pml", "ob1"},
                                    {"OMPI_MCA_btl", "self,vader"},
                                    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                                    {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}}) {
    if (std::getenv(name) == nullptr) environment.push_back(fmt::format("{}={}", name, value));
  }
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

// The number behind "process rank " in mpirun's page about a process that a signal ended.
std::string killed_rank(const std::string& said) {
  constexpr std::string_view before = "process rank ";
  const auto at = said.find(before);
  if (at == std::string::npos) return "a rank";
  const auto number = said.substr(at + before.size());
  return "rank " + number.substr(0, number.find_first_not_of("0123456789"));
}

// Why the ranks ended, by their own word or by the signal that ended one; empty when neither is known.
std::string reason_of(int code, const fs::path& folder, const std::string& said) {
  const auto statuses = comm::read_statuses(folder);
  if (!statuses.empty()) return statuses.front().reason;
  if (code <= 128) return {};
  return format_error({.what = fmt::format("{} was ended by signal {} ({})", killed_rank(said), code - 128,
                                           ::strsignal(code - 128)),
                       .where = "--transport mpi: each rank is a process",
                       .usually = "memory ran out and the system chose this process, or somebody ended it",
                       .fix = "look at the system's log (dmesg); fewer --ranks or --tokens need less memory"}) +
         '\n';
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
  const auto child = [&] {
    try {
      return start(command_of(ranks, arguments));
    } catch (const InputError&) {
      std::error_code has_something_in_it;
      fs::remove(folder, has_something_in_it);
      throw;
    }
  }();
  Errors errors;
  const int code = wait_for(*child, errors);
  if (code == 0) fmt::print(stderr, "{}", errors.kept());
  if (code == 0 || code == static_cast<int>(ExitCode::check_failed)) return code;
  const auto reason = reason_of(code, folder, errors.kept());
  if (reason.empty()) {
    fmt::print(stderr, "{}", errors.kept());
    return code;
  }
  fmt::print(stderr, "error: {}", reason);
  if (folder.empty()) return code;
  write_file(folder / "mpirun.log", errors.kept());
  fmt::print(stderr, "  more    {}: what mpirun said\n", (folder / "mpirun.log").string());
  return code;
}

}  // namespace duet::cli
