/// The reader of traces on any bytes: it reads them or throws an InputError, and what it read is a trace that our
/// writer's form can hold, so that reading it again gives the same, and that the exports and the report can show.
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "tests/fuzz/target.h"
#include "trace/chrome.h"
#include "trace/csv.h"
#include "trace/json_step.h"
#include "trace/reader.h"
#include "trace/report.h"

namespace duet::test {

namespace {

void expect_the_same_again(const trace::StepRecord& step) {
  const auto line = trace::step_to_json(step, /*start_ns=*/0).dump();
  const auto again = trace::step_from_json(nlohmann::ordered_json::parse(line), trace::UnknownWords::refuse);
  expect(trace::step_to_json(again, 0).dump() == line, "a step reads back as another one");
}

}  // namespace

bool takes(const std::string& bytes) {
  std::istringstream in(bytes);
  trace::Trace trace;
  try {
    trace = trace::read_trace(in, "fuzz");
  } catch (const InputError& error) {
    expect(!error.text().what.empty(), "an error without words");
    return false;
  }
  for (const auto& step : trace.steps) expect_the_same_again(step);
  expect(!trace::chrome_json(trace).empty() && !trace::events_csv(trace).empty(), "an export without text");
  expect(!trace::report_html(trace, {}).empty(), "a report without text");
  return true;
}

}  // namespace duet::test
