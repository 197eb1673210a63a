#pragma once
/// Numbers in a trace's JSON: the three that JSON has no word for, and integers that are ones.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace duet::trace {

/// NaN and the infinities become "nan", "inf", "-inf".
nlohmann::ordered_json json_number(double value);
/// The shortest decimal that reads back as the same float, not the float's value as a double.
nlohmann::ordered_json json_number(float value);
/// A string of digits above 2^53: most readers of JSON take numbers for doubles.
nlohmann::ordered_json json_number(std::uint64_t value);

/// Each throws std::invalid_argument, or nlohmann's exception, for anything else.
double to_double(const nlohmann::ordered_json& value);
/// Whole and at most 2^53 in size, so that sums and differences of two cannot overflow.
std::int64_t to_integer(const nlohmann::ordered_json& value);
/// Whole, and one that an int holds: 2^32 + 1 is not taken for 1.
int to_int(const nlohmann::ordered_json& value);
std::uint64_t to_unsigned(const nlohmann::ordered_json& value);
std::vector<std::int64_t> to_integers(const nlohmann::ordered_json& values);
std::vector<int> to_ints(const nlohmann::ordered_json& values);

}  // namespace duet::trace
