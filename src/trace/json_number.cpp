#include "trace/json_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace duet::trace {

using nlohmann::ordered_json;

namespace {

constexpr std::int64_t limit = std::int64_t{1} << 53;

[[noreturn]] void refuse(const ordered_json& value, const char* expected) {
  const auto found = value.is_primitive() ? value.dump() : value.type_name();
  throw std::invalid_argument(fmt::format("{} stands where {} should", found, expected));
}

template <typename Number>
std::vector<Number> list_of(const ordered_json& values, Number (*number)(const ordered_json&)) {
  if (!values.is_array()) refuse(values, "a list of whole numbers");
  std::vector<Number> numbers;
  numbers.reserve(values.size());
  for (const auto& value : values) numbers.push_back(number(value));
  return numbers;
}

}  // namespace

ordered_json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

ordered_json json_number(float value) {
  if (!std::isfinite(value)) return json_number(static_cast<double>(value));
  return std::stod(fmt::format("{}", value));
}

ordered_json json_number(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(limit)) return fmt::format("{}", value);
  return value;
}

double to_double(const ordered_json& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return infinity;
  if (value == "-inf") return -infinity;
  if (!value.is_number()) refuse(value, "a number");
  return value.get<double>();
}

std::int64_t to_integer(const ordered_json& value) {
  const bool whole = value.is_number_integer() &&
                     !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(limit));
  if (!whole || value.get<std::int64_t>() > limit || value.get<std::int64_t>() < -limit) {
    refuse(value, "a whole number of at most 2^53");
  }
  return value.get<std::int64_t>();
}

int to_int(const ordered_json& value) {
  const auto number = to_integer(value);
  if (!std::in_range<int>(number)) refuse(value, "a whole number below 2^31");
  return static_cast<int>(number);
}

std::uint64_t to_unsigned(const ordered_json& value) {
  if (value.is_string()) {
    const auto& digits = value.get_ref<const std::string&>();
    std::uint64_t number = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (end.ec == std::errc() && end.ptr == digits.data() + digits.size()) return number;
  } else if (const auto number = to_integer(value); number >= 0) {
    return static_cast<std::uint64_t>(number);
  }
  refuse(value, "a number of an operation");
}

std::vector<std::int64_t> to_integers(const ordered_json& values) { return list_of(values, to_integer); }

std::vector<int> to_ints(const ordered_json& values) { return list_of(values, to_int); }

}  // namespace duet::trace
