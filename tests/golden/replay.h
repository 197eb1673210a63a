#pragma once
/// Goes through a family's cases, and says which are left out and why.
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace duet::test {

/// Why Duet has no counterpart for a case; no value: it has one. From the case's own parameters, so that it holds for
/// another folder of goldens too.
std::optional<std::string> reason_to_leave_out(const nlohmann::json& one);

/// What ties may decide: `output_first_come` where the case is sensitive to it, else `output`.
const nlohmann::json& first_come_of(const nlohmann::json& one);

/// Runs `check` for every case that is not left out, prints the others, and returns how many were checked.
int replay_cases(const nlohmann::json& file, const std::function<void(const nlohmann::json&)>& check);

}  // namespace duet::test
