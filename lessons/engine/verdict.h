#pragma once
/// What the judge says about a unit.
#include "lesson.h"

namespace duet::lessons {

/// `kind` is a word for programs: passed, wrong, not_written, threw, deadlock, crashed, exited, endless, memory,
/// silent, printed, forged.
struct Verdict {
  std::string kind = "passed";
  std::string title;       ///< of the case that failed
  std::size_t number = 0;  ///< of the case that failed, from 1; of the cases, when all passed
  std::size_t cases = 0;
  std::string text;     ///< what went wrong and why, wrapped
  std::string picture;  ///< the case in text
  std::string printed;  ///< by the student's code
};

/// Runs the lesson's cases on `program` until one fails.
Verdict judge(const Lesson& lesson, const std::string& program, const Limits& limits);

}  // namespace duet::lessons
