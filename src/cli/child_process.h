#pragma once
/// A program that is run beside this one.
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace duet::cli {

/// A child in a process group of its own, so that a terminal's Ctrl-C does not reach it. Its standard error comes here;
/// its output goes where this program's goes. It gets SIGTERM when this program dies, however that happens.
class ChildProcess {
 public:
  /// @param environment NAME=VALUE, added to this program's
  /// @throws InputError when the program is not there or cannot be started
  ChildProcess(const std::vector<std::string>& command, const std::vector<std::string>& environment);
  /// Ends it by force if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// What it has written to standard error since the last call, after waiting for something for 50 ms at most.
  std::string read_errors();
  /// Its exit code once it has ended (128 + the signal's number, if by one).
  std::optional<int> exit_code();
  void signal(int number) const;

 private:
  pid_t id_ = -1;
  int errors_ = -1;  ///< the reading end of its standard error
  std::optional<int> code_;
};

}  // namespace duet::cli
