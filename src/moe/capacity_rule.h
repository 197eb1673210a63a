#pragma once
/// How many (token, choice) pairs an expert takes: a rule, in integers. No tensors here.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace duet {

/// A capacity factor as a fraction, so that rounding up is exact: the decimal text "1.1" is 11/10, while the double
/// 1.1 would give 56 places for 100 tokens and 2 experts instead of 55.
struct Fraction {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

/// Reads "1.25", "1", "2.0" or "none" (no value). Throws InputError for anything else, negative or over 9 digits.
std::optional<Fraction> parse_capacity_factor(std::string_view text);

struct CapacityRule {
  std::optional<Fraction> factor;  ///< no value: no limit

  /// Pairs an expert takes from a shard: ceil(factor * top_k * tokens / experts) (Switch Transformer, section 2.2),
  /// or no value without a limit.
  std::optional<std::int64_t> limit(std::int64_t tokens, std::int64_t experts, std::int64_t top_k) const;
};

}  // namespace duet
