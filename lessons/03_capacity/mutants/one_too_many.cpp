// Misconception: less or equal is the safe comparison.
// Says: Each expert takes one pair too many
#include "core/error.h"
#include "moe/capacity.h"

namespace duet {

Kept apply_capacity(const Routing& routing, const CapacityRule& rule, const GlobalView* view) {
  if (rule.drop != DropPolicy::position || rule.slot_order != SlotOrder::token || view != nullptr) {
    throw InputError("only the first pairs of one shard, token by token");
  }
  const auto tokens = routing.expert.size(0), k = routing.expert.size(1), experts = routing.logits.size(1);
  const auto counts = at::bincount(routing.expert.reshape({-1}), {}, experts);
  const auto limit = rule.limit(tokens, experts, k);
  if (!limit) return {at::ones_like(routing.expert, at::kBool), counts};
  auto mask = at::zeros({tokens, k}, at::kBool);
  std::vector<std::int64_t> taken(static_cast<std::size_t>(experts), 0);
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t j = 0; j < k; ++j) {
      auto& mine = taken[static_cast<std::size_t>(routing.expert[t][j].item<std::int64_t>())];
      if (mine <= *limit) mask[t][j].fill_(true);
      ++mine;
    }
  }
  return {mask, counts};
}

}  // namespace duet
