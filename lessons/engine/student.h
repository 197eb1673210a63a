#pragma once
/// The student's process, seen from the judge: started with limits, asked, and ended whatever it does.
#include <sys/stat.h>

#include <chrono>
#include <string>

#include "values.h"

namespace duet::lessons {

/// How the process failed to answer.
enum class Death { crashed, exited, endless, memory, silent, printed_too_much, forged };

/// Thrown by `ask` when no answer came.
struct Died {
  Death death = Death::crashed;
  int signal = 0;     ///< of `crashed`
  int exit_code = 0;  ///< of `exited`
};

struct Limits {
  std::chrono::seconds processor_time{4};  ///< for one answer
  std::chrono::seconds wall_time{20};      ///< for one answer
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  bool sanitized = false;  ///< AddressSanitizer's own memory needs another kind of limit
};

class Student {
 public:
  /// @throws InputError if the program cannot be started
  Student(const std::string& program, const Limits& limits);
  ~Student();
  Student(const Student&) = delete;
  Student& operator=(const Student&) = delete;

  /// @throws Died when the process ended, or was ended by a limit, without an answer
  Reply ask(const Request& request);

  /// What it wrote to standard output and error so far, the last 4,000 bytes (100,000 when sanitized, whose reports are
  /// long).
  std::string printed() const;

 private:
  void start(const std::string& program, int requests, int replies);
  bool send(const std::string& bytes);
  bool receive(std::string& bytes);
  bool wait_for(int file, short event);
  bool has_ended() const;
  bool runs_the_program() const;
  void end_all();
  [[noreturn]] void bury();

  Limits limits_;
  std::chrono::steady_clock::time_point asked_;  ///< when the request under way began
  double used_before_ = 0;                       ///< processor time by then
  struct stat program_ {};
  int process_ = -1;
  int requests_ = -1;
  int replies_ = -1;
  int output_ = -1;
};

}  // namespace duet::lessons
