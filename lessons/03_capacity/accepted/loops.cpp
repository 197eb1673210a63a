// Plain loops over accessors, one pass. Knows the task's rule, and refuses the others.
#include "core/error.h"
#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  if (rule.drop != DropPolicy::position || rule.slot_order != SlotOrder::token || view != nullptr) {
    throw InputError("my capacity knows --drop position, --slot-order token and --capacity-scope local only");
  }
  const auto tokens = routing.expert.size(0), k = routing.expert.size(1), experts = routing.logits.size(1);
  const auto limit = rule.limit(tokens, experts, k);
  Kept kept{at::empty({tokens, k}, at::kBool), at::zeros({experts}, at::kLong)};
  const auto wanted = routing.expert.accessor<std::int64_t, 2>();
  auto mask = kept.mask.accessor<bool, 2>();
  auto counts = kept.counts.accessor<std::int64_t, 1>();
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t j = 0; j < k; ++j) {
      auto& before = counts[wanted[t][j]];
      mask[t][j] = !limit || before < *limit;
      ++before;
    }
  }
  return kept;
}

}  // namespace duet
