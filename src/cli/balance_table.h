#pragma once
/// The balance of the last step, for the tables and the JSON of compare and train.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "trace/balance.h"

namespace duet::cli {

/// A few lines a layer: load, entropy, drops by reason, gradient norms.
std::string balance_text(const std::vector<trace::Balance>& layers);

/// Stable keys: tokens_per_expert, std_tokens_per_expert, max_over_mean, router_entropy, dropped_by_reason,
/// expert_grad_norm.
nlohmann::ordered_json balance_json(const trace::Balance& layer);

}  // namespace duet::cli
