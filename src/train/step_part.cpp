#include "train/step_part.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "trace/json_step.h"

namespace duet {

std::string steps_to_text(const std::vector<RankStepResult>& steps) {
  std::string text;
  for (const auto& step : steps) {
    trace::StepRecord record;
    record.step = step.step;
    record.loss = step.loss;
    for (const double value : step.aux) record.aux.push_back({.kind = {}, .value = value, .weight = 0});
    record.grad_norm = step.router_grad_norm;
    record.capacity = step.capacity;
    record.ranks = {step.record};
    text += trace::step_to_json(record, /*start_ns=*/0).dump() + '\n';
  }
  return text;
}

std::vector<RankStepResult> steps_from_text(const std::string& text) {
  std::vector<RankStepResult> steps;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto record = trace::step_from_json(nlohmann::ordered_json::parse(line), trace::UnknownWords::refuse);
    auto& step = steps.emplace_back();
    step.step = record.step;
    step.loss = record.loss;
    for (const auto& term : record.aux) step.aux.push_back(term.value);
    step.router_grad_norm = record.grad_norm;
    step.capacity = record.capacity;
    step.record = std::move(record.ranks.at(0));
  }
  return steps;
}

}  // namespace duet
