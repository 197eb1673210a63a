#include "cli/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"

namespace duet::cli {

namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw InputError(fmt::format("a pipe cannot be made: {}", std::strerror(errno)));
  }
  return {.read_end = ends[0], .write_end = ends[1]};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> whole_environment(const std::vector<std::string>& added) {
  auto all = added;
  for (char** one = environ; *one != nullptr; ++one) all.emplace_back(*one);
  return all;
}

// In the child, between fork and exec: nothing here may take memory or a lock.
[[noreturn]] void become(char* const* words, char* const* environment, pid_t parent, const Pipe& errors, int trouble) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  ::dup2(errors.write_end, STDERR_FILENO);
  ::execvpe(words[0], words, environment);
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(trouble, &error, sizeof(error));
  ::_exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  auto words = command;
  auto variables = whole_environment(environment);
  const auto word_pointers = pointers(words);
  const auto variable_pointers = pointers(variables);
  const auto errors = make_pipe();
  const auto trouble = make_pipe();  // closes by itself when exec succeeds
  const auto parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) become(word_pointers.data(), variable_pointers.data(), parent, errors, trouble.write_end);
  const int fork_error = id_ < 0 ? errno : 0;
  ::close(errors.write_end);
  ::close(trouble.write_end);
  errors_ = errors.read_end;
  int error = fork_error;
  if (id_ > 0 && ::read(trouble.read_end, &error, sizeof(error)) != sizeof(error)) error = 0;
  ::close(trouble.read_end);
  if (error == 0) return;
  if (id_ > 0) ::waitpid(id_, nullptr, 0);
  ::close(errors_);
  throw InputError(fmt::format("{} cannot be started: {}", command.front(), std::strerror(error)));
}

ChildProcess::~ChildProcess() {
  if (!exit_code()) {
    ::kill(-id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  ::close(errors_);
}

std::string ChildProcess::read_errors() {
  pollfd ready{.fd = errors_, .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, 50) <= 0) return {};
  std::array<char, 4096> bytes{};
  const auto count = ::read(errors_, bytes.data(), bytes.size());
  if (count == 0) ::usleep(10'000);  // closed: only its end is left to wait for
  return count <= 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(count));
}

std::optional<int> ChildProcess::exit_code() {
  int status = 0;
  if (!code_ && ::waitpid(id_, &status, WNOHANG) == id_) {
    code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return code_;
}

void ChildProcess::signal(int number) const {
  if (!code_) ::kill(id_, number);
}

}  // namespace duet::cli
