#include "student.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "core/error.h"
#include "wire.h"

namespace duet::lessons {

namespace {

constexpr rlim_t largest_file = 16 << 20;

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};  // soft and hard: root too is held by them
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// Processor time of the process so far; less than nothing once it is gone.
double seconds_used(int process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

Student::Student(const std::string& program, const Limits& limits) : limits_(limits) {
  if (access(program.c_str(), X_OK) != 0) {
    throw InputError(fmt::format("{} cannot be run: {}", program, std::strerror(errno)));
  }
  std::array<int, 2> requests{}, replies{};
  output_ = memfd_create("printed", MFD_CLOEXEC);
  if (output_ < 0 || pipe2(requests.data(), O_CLOEXEC) != 0 || pipe2(replies.data(), O_CLOEXEC) != 0) {
    throw InputError(fmt::format("no pipe to the student's process: {}", std::strerror(errno)));
  }
  requests_ = requests[1];
  replies_ = replies[0];
  process_ = fork();
  if (process_ < 0) throw InputError(fmt::format("no process for {}: {}", program, std::strerror(errno)));
  if (process_ == 0) start(program, requests[0], replies[1]);
  setpgid(process_, process_);
  close(requests[0]);
  close(replies[1]);
}

// In the child: only what is safe between fork and exec.
void Student::start(const std::string& program, int requests, int replies) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, largest_file);
  if (!limits_.sanitized) limit(RLIMIT_DATA, static_cast<rlim_t>(limits_.memory_bytes));
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output_, STDOUT_FILENO);
  dup2(output_, STDERR_FILENO);
  fcntl(requests, F_SETFD, 0);
  fcntl(replies, F_SETFD, 0);
  std::array<char, 16> request_number{}, reply_number{};
  *fmt::format_to(request_number.data(), "{}", requests) = '\0';
  *fmt::format_to(reply_number.data(), "{}", replies) = '\0';
  execl(program.c_str(), program.c_str(), request_number.data(), reply_number.data(), nullptr);
  _exit(127);
}

Student::~Student() {
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(requests_);
  close(replies_);
  close(output_);
}

Reply Student::ask(const Request& request) {
  // A process that is gone is told by its missing reply. SIGPIPE is ignored by the judge's main.
  if (!write_message(requests_, encode(request)) || !wait_for_reply()) bury();
  std::string bytes;
  if (!read_message(replies_, bytes)) bury();
  try {
    return decode_reply(bytes);
  } catch (const InputError&) {
    throw Died{.death = Death::forged};
  }
}

bool Student::wait_for_reply() {
  const auto until = std::chrono::steady_clock::now() + limits_.wall_time;
  const auto used_before = seconds_used(process_);
  pollfd answer{.fd = replies_, .events = POLLIN, .revents = 0};
  while (true) {
    const int ready = poll(&answer, 1, /*milliseconds=*/50);
    if (ready > 0) return (answer.revents & POLLIN) != 0;
    const bool endless = seconds_used(process_) - used_before > static_cast<double>(limits_.processor_time.count());
    if (endless || std::chrono::steady_clock::now() > until) {
      kill(-process_, SIGKILL);
      waitpid(process_, nullptr, 0);
      process_ = -1;
      throw Died{.death = endless ? Death::endless : Death::silent};
    }
  }
}

void Student::bury() {
  int status = 0;
  bool ended = false;
  // It closed its pipe: it is about to end, or it closed a file that was not its own.
  for (int i = 0; i < 100 && !ended; ++i) {
    ended = waitpid(process_, &status, WNOHANG) != 0;
    if (!ended) usleep(10'000);
  }
  kill(-process_, SIGKILL);  // whatever it started
  if (!ended) waitpid(process_, nullptr, 0);
  process_ = -1;
  if (!ended) throw Died{.death = Death::forged};  // it lives, and what came from it was no message
  if (WIFEXITED(status) && WEXITSTATUS(status) == pipe_closed) throw Died{.death = Death::forged};
  if (WIFEXITED(status)) throw Died{.death = Death::exited, .exit_code = WEXITSTATUS(status)};
  const int signal = WTERMSIG(status);
  if (signal == SIGXFSZ) throw Died{.death = Death::printed_too_much};
  throw Died{.death = signal == SIGKILL ? Death::memory : Death::crashed, .signal = signal};
}

std::string Student::printed() const {
  const off_t most = limits_.sanitized ? 100'000 : 4'000;
  const auto size = lseek(output_, 0, SEEK_END);
  const auto from = size > most ? size - most : 0;
  std::string text(static_cast<std::size_t>(size - from), '\0');
  const auto got = pread(output_, text.data(), text.size(), from);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace duet::lessons
