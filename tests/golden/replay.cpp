#include "tests/golden/replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace duet::test {

std::optional<std::string> reason_to_leave_out(const nlohmann::json& one) {
  const auto& parameters = one.at("made_by").at("parameters");
  if (one.at("output").contains("raises")) return "the library raises, and Duet gives the minimum capacity";
  if (parameters.value("score_function", "softmax") != "softmax") return "Duet's router scores by softmax only";
  if (parameters.contains("num_groups")) return "Duet does not limit a token to groups of experts";
  if (parameters.value("pad_to_capacity", false)) return "Duet sends rows of tokens only, never padding";
  if (one.at("input").contains("padding")) return "Duet has no padding tokens";
  return std::nullopt;
}

const nlohmann::json& first_come_of(const nlohmann::json& one) {
  return one.value("order_sensitive", false) ? one.at("output_first_come") : one.at("output");
}

int replay_cases(const nlohmann::json& file, const std::function<void(const nlohmann::json&)>& check) {
  int checked = 0;
  for (const auto& one : file.at("cases")) {
    const auto name = one.at("name").get<std::string>();
    SCOPED_TRACE(name);
    if (const auto reason = reason_to_leave_out(one)) {
      fmt::print("  {}: left out: {}\n", name, *reason);
      continue;
    }
    check(one);
    ++checked;
  }
  return checked;
}

}  // namespace duet::test
