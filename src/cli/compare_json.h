#pragma once
/// The comparison as one JSON object with stable keys.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "train/compare.h"

namespace duet::cli {

/// @param run the run's folder; empty: none was written
nlohmann::ordered_json compare_json(const CompareResult& result, const std::string& run);

}  // namespace duet::cli
