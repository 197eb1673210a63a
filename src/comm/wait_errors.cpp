#include "comm/wait_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <span>

namespace duet::comm {

namespace {

std::string list_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;  // a few say enough
  const auto named = std::span(ranks).first(std::min(most, ranks.size()));
  const auto others = ranks.size() - named.size();
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(named, ", "),
                     others == 0 ? "" : fmt::format(" and {} more", others));
}

}  // namespace

ErrorText returned_early(int gone, const Waiting& waiting) {
  return {.what = fmt::format("rank {} returned early", gone),
          .where = fmt::format("rank {} waits for it in {}", waiting.rank, waiting.operation),
          .usually = "a condition lets one rank leave a loop or skip an operation that the others do",
          .fix = "let all ranks decide alike, or let one decide and broadcast"};
}

ErrorText too_late(const Waiting& first, Deadline deadline,
                   const std::function<std::optional<Waiting>(int rank)>& ask) {
  const auto where = fmt::format("the deadline of {} s passed", std::chrono::duration<double>(deadline).count());
  if (first.missing.empty()) {
    return {.what = fmt::format("rank {} waits in {}, to which every rank has come", first.rank, first.operation),
            .where = where,
            .usually = "the ranks do not agree on sizes and nothing checked it, or a link between devices is broken",
            .fix = "run with checks on, which compare what each rank gives; NCCL_DEBUG=INFO shows the links"};
  }
  auto what = fmt::format("rank {} waits in {} for {}", first.rank, first.operation, list_ranks(first.missing));
  std::vector<int> told{first.rank};
  auto missing = first.missing;
  while (missing.size() == 1) {  // follow the chain; more than one missing rank would make a tree
    const auto next = missing.front();
    if (std::find(told.begin(), told.end(), next) != told.end()) break;
    told.push_back(next);
    const auto other = ask(next);
    if (!other) {
      what += ", which is in no communication";
      break;
    }
    missing = other->missing;
    what += fmt::format(", which waits in {}", other->operation);
    if (!missing.empty()) what += fmt::format(" for {}", list_ranks(missing));
  }
  return {.what = what,
          .where = where,
          .usually = "the ranks do not call the same operations in the same order, or one is stuck in a loop",
          .fix = "compare what each rank calls up to here"};
}

ErrorText because_of_failure(int failed, const std::string& reason, const Waiting& waiting) {
  return {.what = fmt::format("rank {} failed: {}", failed, reason),
          .where = fmt::format("rank {} was in {}", waiting.rank, waiting.operation),
          .usually = {},
          .fix = {}};
}

ErrorText never_waited(int rank, const std::string& operation) {
  return {.what = fmt::format("rank {} started {} but never waited for it", rank, operation),
          .where = {},
          .usually = "what start_... returned was not kept",
          .fix = "keep it, and call wait() before its buffers are used or freed"};
}

ErrorText too_many_started(int rank, std::size_t count, const std::string& operation) {
  return {.what = fmt::format("rank {} has started {} operations and waited for none of them", rank, count),
          .where = operation,
          .usually = "a started operation is kept and its wait() forgotten",
          .fix = "wait for the first before starting another"};
}

std::string what_happened(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.text().what;
  } catch (const std::exception& other) {
    const std::string text = other.what();
    return text.substr(0, text.find("\nException raised from"));  // c10::Error appends a backtrace
  } catch (...) {
    return "something was thrown that is no std::exception";
  }
}

bool debugger_attached() {
  std::ifstream status("/proc/self/status");
  for (std::string field; status >> field;) {
    if (field != "TracerPid:") continue;
    int tracer = 0;
    return (status >> tracer) && tracer != 0;
  }
  return false;
}

}  // namespace duet::comm
