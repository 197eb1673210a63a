// Lesson 03: capacity. Only this file is yours; README.md beside the lesson tells the idea.
#include "moe/capacity.h"

#include <stdexcept>

#include "core/error.h"

namespace duet {

// routing expert [T, k] int64: the experts that each token wants; T may be 0   logits [T, E]: read E from its shape
// rule    rule.limit(T, E, k): how many pairs an expert takes from this shard; no value: all of them
// returns mask [T, k] bool: which pairs stay   counts [E] int64: how many wanted each expert
Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  // Other rules are explain.md's exercise. Until you write one, it is refused: a rule must never be ignored in silence.
  if (rule.drop != DropPolicy::position || rule.slot_order != SlotOrder::token || view != nullptr) {
    throw InputError("my capacity knows --drop position, --slot-order token and --capacity-scope local only");
  }
  // TODO: count, and keep the first pairs of each expert, token by token.
  static_cast<void>(routing);  // take this line away when you use it
  throw std::runtime_error("not written yet: apply_capacity");
}

}  // namespace duet
