#include "verdict.h"

#include <fmt/format.h>

#include <csignal>

#include "advice.h"

namespace duet::lessons {

namespace {

std::string about_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "It touched memory that is not its own (segmentation fault): usually an index beyond the end, a tensor "
             "that was never assigned, or a function that calls itself for ever.";
    case SIGABRT:
      return "It was aborted: usually an index beyond the end of a vector or span, or an exception that left "
             "a function which may throw none.";
    case SIGFPE:
      return "It divided a whole number by zero: usually by a count that is 0 in this case.";
    default:
      return fmt::format("Signal {} ended it.", signal);
  }
}

void tell(Verdict& verdict, const Died& died, const Limits& limits) {
  switch (died.death) {
    case Death::crashed:
      verdict.kind = "crashed";
      verdict.text = "Your code crashed in this case. " + about_signal(died.signal) +
                     "\n./duet check --asan runs it again with a tool that names the line.";
      break;
    case Death::exited:
      verdict.kind = "exited";
      verdict.text = fmt::format(
          "Your code ended the whole program (exit code {}) before it returned an answer. A unit returns its result, "
          "or throws; it never calls exit(): the other ranks live in the same program.",
          died.exit_code);
      break;
    case Death::endless:
      verdict.kind = "endless";
      verdict.text = fmt::format(
          "Your code computed for {} s without an answer, where a hundredth of a second is plenty: an endless loop. "
          "Look at the condition of each loop, and at what it changes.",
          limits.processor_time.count());
      break;
    case Death::memory:
      verdict.kind = "memory";
      verdict.text = "Your code was ended by the system, most likely because memory ran out.";
      break;
    case Death::silent:
      verdict.kind = "silent";
      verdict.text = fmt::format(
          "No answer came in {} s, and your code was not computing: it waits for something outside (input, a lock, a "
          "file), or it closed a file that it had not opened.",
          limits.wall_time.count());
      break;
    case Death::printed_too_much:
      verdict.kind = "printed";
      verdict.text = "Your code printed more than 16 MB. Print less, or only in the first case.";
      break;
    case Death::forged:
      verdict.kind = "forged";
      verdict.text =
          "What came back is no answer to this case: your code wrote to, or closed, a file that it had not opened.";
      break;
  }
}

// A rank that computes for ever: the others missed it, and then the process gave up (run_ranks).
bool a_rank_never_ended(const Died& died, const std::string& printed) {
  return died.death == Death::exited && died.exit_code == 3 && printed.find("cannot be ended") != std::string::npos;
}

void tell(Verdict& verdict, const Threw& threw, const Limits& limits) {
  const auto& reply = threw.reply;
  if (const auto at = reply.error.find("not written yet"); at != std::string::npos) {
    verdict.kind = "not_written";
    verdict.text = reply.error.substr(at);
    return;
  }
  if (reply.out_of_memory) {
    verdict.kind = "memory";
    verdict.text = fmt::format(
        "Your code asked for more memory than it may have here ({} GB), where a lesson's cases need a few kilobytes. "
        "Look for a container that grows in a loop, and for a size that is computed wrongly.",
        limits.memory_bytes >> 30);
    if (const auto tried = reply.error.find("you tried to allocate"); tried != std::string::npos) {
      verdict.text += "\nIn its own words: " + reply.error.substr(tried, reply.error.find('.', tried) - tried);
    }
    return;
  }
  verdict.kind = reply.waited_too_long ? "deadlock" : "threw";
  const auto* const before = reply.waited_too_long ? "The ranks wait for each other:" : "An error stopped it:";
  verdict.text = fmt::format("{} {}", before, reply.error);
  std::string details = reply.details;
  for (std::size_t at = 0; (at = details.find('\n', at)) != std::string::npos && at + 1 < details.size();) {
    details.insert(++at, "  ");
  }
  if (!details.empty()) verdict.text += "\n  " + details;
  if (const auto advice = advice_for(reply.error); !advice.empty()) verdict.text += "\n" + advice;
}

}  // namespace

Verdict judge(const Lesson& lesson, const std::string& program, const Limits& limits) {
  Student student(program, limits);
  Verdict verdict;
  verdict.cases = lesson.cases.size();
  for (const auto& one : lesson.cases) {
    verdict.title = one.title;
    ++verdict.number;
    Trial trial(student);
    bool passed = false;
    try {
      one.run(trial);
      passed = true;
    } catch (const Failure& failure) {
      verdict.kind = "wrong";
      verdict.text = failure.text;
    } catch (const Threw& threw) {
      tell(verdict, threw, limits);
      if (verdict.kind == "threw" && !trial.says_to_error().empty()) verdict.text += "\n" + trial.says_to_error();
    } catch (const Died& died) {
      tell(verdict, died, limits);
      if (a_rank_never_ended(died, student.printed())) {
        verdict.kind = "endless";
        verdict.text = "A rank computes for ever, and the others wait for it. What it said:";
      }
    }
    if (!passed) {
      verdict.picture = trial.picture();
      break;
    }
  }
  verdict.text = wrap(verdict.text);
  verdict.printed = student.printed();
  return verdict;
}

}  // namespace duet::lessons
