#pragma once
/// The comparison as one JSON object with stable keys.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/compare.h"

namespace duet::cli {

/// @param sentences cli/conclusions.h
/// @param run       the run's folder
nlohmann::ordered_json compare_json(const CompareResult& result, const std::vector<std::string>& sentences,
                                    const std::string& run);

}  // namespace duet::cli
