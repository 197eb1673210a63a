#include "moe/capacity_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace duet {

namespace {

constexpr int max_digits = 9;  // times a thousand million pairs still fits 64 bits

[[noreturn]] void refuse(std::string_view text) {
  throw InputError({.what = fmt::format("\"{}\" is not a capacity factor", text),
                    .where = "--capacity-factor",
                    .usually = "it is a plain decimal number, at most 9 digits, or \"none\" for no limit",
                    .fix = "write for example 1.25"});
}

}  // namespace

std::optional<Fraction> parse_capacity_factor(std::string_view text) {
  if (text == "none") return std::nullopt;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto digits = std::ranges::count_if(text, is_digit);
  const auto points = std::ranges::count(text, '.');
  if (digits == 0 || digits > max_digits || points > 1 || digits + points != std::ssize(text)) refuse(text);
  Fraction factor{0, 1};
  bool after_point = false;
  for (const char c : text) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    factor.numerator = factor.numerator * 10 + (c - '0');
    if (after_point) factor.denominator *= 10;
  }
  return factor;
}

std::optional<std::int64_t> CapacityRule::limit(std::int64_t tokens, std::int64_t experts, std::int64_t top_k) const {
  if (!factor) return std::nullopt;
  const auto numerator = factor->numerator * top_k * tokens;
  const auto denominator = factor->denominator * experts;
  return std::max(minimum, (numerator + denominator - 1) / denominator);
}

}  // namespace duet
