#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace duet::cli {

namespace {

// A signal handler can reach nothing else.
std::atomic<bool>& stop_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}

void on_signal(int signal) {
  if (signal == SIGUSR1) {
    stop_flag() = true;
    return;
  }
  if (stop_flag().exchange(true)) _exit(128 + signal);
  constexpr char said[] = "\nending soon, and writing what there is; Ctrl-C again ends at once\n";
  static_cast<void>(!write(STDERR_FILENO, said, sizeof(said) - 1));
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  stop_flag();  // made before a signal can come
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
  return stop_flag();
}

}  // namespace duet::cli
