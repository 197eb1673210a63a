#pragma once
/// The errors that Duet throws. Each says what happened, where, why it usually happens, and what to do.
#include <stdexcept>
#include <string>

namespace duet {

/// The process exit code that an error leads to.
enum class ExitCode { done = 0, check_failed = 1, bad_input = 2, rank_failed = 3 };

/// The parts of a message; empty parts are left out.
struct ErrorText {
  std::string what;     ///< one line: what happened
  std::string where;    ///< rank, operation, step
  std::string usually;  ///< why it usually happens
  std::string fix;      ///< what to do
};

/// The message as a person reads it: `what`, then an indented line for each other part.
std::string format_error(const ErrorText& text);

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, ErrorText text);
  ExitCode code() const { return code_; }
  const ErrorText& text() const { return text_; }

 private:
  ExitCode code_;
  ErrorText text_;
};

/// Bad usage or input: a flag, a file, a shape (exit 2).
class InputError : public Error {
 public:
  explicit InputError(ErrorText text) : Error(ExitCode::bad_input, std::move(text)) {}
  explicit InputError(std::string what)
      : InputError(ErrorText{.what = std::move(what), .where = {}, .usually = {}, .fix = {}}) {}
};

/// A rank, a transport or a device failed (exit 3).
class RankError : public Error {
 public:
  explicit RankError(ErrorText text) : Error(ExitCode::rank_failed, std::move(text)) {}
};

}  // namespace duet
