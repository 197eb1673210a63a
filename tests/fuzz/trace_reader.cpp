/// The reader of traces on any bytes: it reads them or throws an InputError, and what it read is a trace that our
/// writer's form can hold, so that reading it again gives the same.
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "tests/fuzz/target.h"
#include "trace/json_step.h"
#include "trace/reader.h"

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
  try {
    for (const auto& step : trace::read_trace(in, "fuzz").steps) expect_the_same_again(step);
  } catch (const InputError& error) {
    expect(!error.text().what.empty(), "an error without words");
    return false;
  }
  return true;
}

}  // namespace duet::test
