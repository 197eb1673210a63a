#pragma once
/// How many (token, choice) pairs an expert takes, and which: a rule, in integers. No tensors here.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "moe/scope.h"

namespace duet {

/// A capacity factor as a fraction, so that rounding up is exact: the decimal text "1.1" is 11/10, while the double
/// 1.1 would give 56 places for 100 tokens and 2 experts instead of 55.
struct Fraction {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

/// Reads "1.25", "1", "2.0" or "none" (no value). Throws InputError for anything else, negative or over 9 digits.
std::optional<Fraction> parse_capacity_factor(std::string_view text);

/// Which pairs stay when more want an expert than it takes.
enum class DropPolicy {
  position,     ///< the first in the order of slots (Switch, GShard)
  probability,  ///< those with the highest gate; equal ones in the order of slots (Megatron's "probs")
  random        ///< drawn by key, whatever the order (DeepSpeed's random token selection)
};

/// The order in which pairs take an expert's slots.
enum class SlotOrder {
  token,  ///< token by token, a token's choices best first (DeepSpeed's topkgating)
  choice  ///< all first choices, then all second ones (GShard, DeepSpeed's top2gating)
};

struct CapacityRule {
  std::optional<Fraction> factor;  ///< no value: no limit
  std::int64_t minimum = 0;        ///< slots that an expert has at least
  DropPolicy drop = DropPolicy::position;
  SlotOrder slot_order = SlotOrder::token;
  Scope scope = Scope::local;

  /// Pairs an expert takes from `tokens` tokens: max(minimum, ceil(factor * top_k * tokens / experts)) (Switch
  /// Transformer, section 2.2; the minimum is DeepSpeed's), or no value without a limit.
  std::optional<std::int64_t> limit(std::int64_t tokens, std::int64_t experts, std::int64_t top_k) const;
};

}  // namespace duet
