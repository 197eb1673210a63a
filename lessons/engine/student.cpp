#include "student.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>

#include "core/error.h"
#include "wire.h"

namespace duet::lessons {

namespace {

constexpr rlim_t largest_file = 16 << 20;
constexpr rlim_t stack_bytes = 8 << 20;  // where a shell allows any, endless recursion would take all memory
constexpr std::size_t longest_error = 4000;

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
  if (access(program.c_str(), X_OK) != 0 || stat(program.c_str(), &program_) != 0) {
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
  fcntl(requests_, F_SETFL, O_NONBLOCK);  // a long request waits for its reader in wait_for, not in write
}

// In the child: only what is safe between fork and exec.
void Student::start(const std::string& program, int requests, int replies) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, largest_file);
  limit(RLIMIT_STACK, stack_bytes);
  if (!limits_.sanitized) limit(RLIMIT_DATA, static_cast<rlim_t>(limits_.memory_bytes));
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);           // where sudo asks for no password
  prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0);  // with it root, as in most containers, reads the judge's memory
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
  end_all();
  close(requests_);
  close(replies_);
  close(output_);
}

// The process and whatever it started: its group, and what left the group, which the kernel hands to the judge
// (PR_SET_CHILD_SUBREAPER). Again and again, as one that is ended may have children itself; but not for ever.
void Student::end_all() {
  if (process_ > 0) kill(-process_, SIGKILL);
  process_ = -1;
  const auto children_of_judge = fmt::format("/proc/self/task/{}/children", gettid());
  for (int round = 0; round < 2000; ++round) {
    std::ifstream children(children_of_judge);
    for (int child = 0; children >> child;) kill(child, SIGKILL);
    int ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0) return;  // no child is left
    usleep(1000);
  }
}

Reply Student::ask(const Request& request) {
  asked_ = std::chrono::steady_clock::now();
  used_before_ = seconds_used(process_);
  std::string bytes;
  // A process that is gone is told by its missing reply. SIGPIPE is ignored by the judge's main.
  if (!send(encode(request)) || !receive(bytes)) bury();
  if (!runs_the_program()) throw Died{.death = Death::forged};
  try {
    auto reply = decode_reply(bytes);
    reply.error.resize(std::min(reply.error.size(), longest_error));
    reply.details.resize(std::min(reply.details.size(), longest_error));
    return reply;
  } catch (const InputError&) {
    throw Died{.death = Death::forged};
  }
}

bool Student::send(const std::string& bytes) {
  return write_message(requests_, bytes, [this] { return wait_for(requests_, POLLOUT); });
}

bool Student::receive(std::string& bytes) {
  return read_message(replies_, bytes, [this] { return wait_for(replies_, POLLIN); });
}

// Before each read and write: one who sends half a message, or reads none, must not stop the judge.
bool Student::wait_for(int file, short event) {
  pollfd one{.fd = file, .events = event, .revents = 0};
  while (true) {
    const int ready = poll(&one, 1, /*milliseconds=*/50);
    const bool endless = seconds_used(process_) - used_before_ > static_cast<double>(limits_.processor_time.count());
    if (endless || std::chrono::steady_clock::now() > asked_ + limits_.wall_time) {
      end_all();
      throw Died{.death = endless ? Death::endless : Death::silent};
    }
    if (ready > 0) return (one.revents & event) != 0;
    if (has_ended()) return false;  // a child of it may hold the pipe open
  }
}

// Not another, which the unit put in its own place: lesson_SLUG_product would pass.
bool Student::runs_the_program() const {
  struct stat now {};
  const auto link = fmt::format("/proc/{}/exe", process_);
  return has_ended() ||
         (stat(link.c_str(), &now) == 0 && now.st_dev == program_.st_dev && now.st_ino == program_.st_ino);
}

bool Student::has_ended() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

void Student::bury() {
  int status = 0;
  bool ended = false;
  // It closed its pipe: it is about to end, or it closed a file that was not its own.
  for (int i = 0; i < 100 && !ended; ++i) {
    ended = waitpid(process_, &status, WNOHANG) != 0;
    if (!ended) usleep(10'000);
  }
  end_all();
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
