// The judge: holds the cases and the expected values, and asks the student's process.
// usage: duet_judge check SLUG PROGRAM [--asan]     prints the verdict as JSON
//        duet_judge measure SLUG                    prints the measured answers to the lesson's questions as JSON
#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "lessons.h"
#include "verdict.h"

namespace duet::lessons {

namespace {

using nlohmann::json;

const Lesson& find(const std::vector<Lesson>& lessons, const std::string& slug) {
  for (const auto& lesson : lessons) {
    if (lesson.slug == slug) return lesson;
  }
  throw InputError(fmt::format("the judge has no lesson {}", slug));
}

json check(const Lesson& lesson, const std::string& program, bool sanitized) {
  const auto verdict = judge(lesson, program, {.sanitized = sanitized});
  return {{"kind", verdict.kind}, {"title", verdict.title},     {"number", verdict.number},  {"cases", verdict.cases},
          {"text", verdict.text}, {"picture", verdict.picture}, {"printed", verdict.printed}};
}

json measure(const Lesson& lesson) {
  auto answers = json::object();
  for (const auto& one : lesson.measures) answers[one.id] = one.run();
  return answers;
}

int run(const std::vector<std::string>& arguments) {
  const auto lessons = all_lessons();
  json answer;
  if (arguments.size() >= 3 && arguments[0] == "check") {
    answer = check(find(lessons, arguments[1]), arguments[2], arguments.back() == "--asan");
  } else if (arguments.size() == 2 && arguments[0] == "measure") {
    answer = measure(find(lessons, arguments[1]));
  } else {
    throw InputError("usage: duet_judge check SLUG PROGRAM [--asan], or duet_judge measure SLUG");
  }
  fmt::print("{}\n", answer.dump(-1, ' ', false, json::error_handler_t::replace));
  return 0;
}

}  // namespace

}  // namespace duet::lessons

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);     // a student's process that ended is told by its missing answer
  prctl(PR_SET_DUMPABLE, 0);         // which could otherwise read the expected values from here
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what such a process leaves behind falls to the judge, which ends it
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // ./duet check was ended: nobody waits for a verdict
  try {
    return duet::lessons::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
