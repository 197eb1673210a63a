#include "cli/balance_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/text_table.h"

namespace duet::cli {

namespace {

constexpr std::size_t most_listed = 8;

std::string norms_text(const std::vector<double>& norms) {
  std::vector<std::string> words;
  if (norms.size() <= most_listed) {
    for (const double norm : norms) words.push_back(fmt::format("{:.3g}", norm));
    return fmt::format("{}", fmt::join(words, ", "));
  }
  auto sorted = norms;
  std::sort(sorted.begin(), sorted.end());
  return fmt::format("{:.3g} to {:.3g}, median {:.3g}", sorted.front(), sorted.back(), sorted[sorted.size() / 2]);
}

std::string drops_text(const trace::Balance& layer) {
  if (layer.dropped_by_reason.empty()) return "none";
  std::vector<std::string> words;
  for (const auto& [reason, share] : layer.dropped_by_reason) {
    words.push_back(fmt::format("{:.1f}% {}", 100 * share, reason));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string balance_text(const std::vector<trace::Balance>& layers) {
  std::string text;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto& layer = layers[l];
    const auto of_layer = layers.size() == 1 ? std::string() : fmt::format(" of layer {}", l);
    text +=
        wrapped(fmt::format("balance{} in the last step: {} tokens to the {} experts (std {:.1f}, max / mean {:.2f})"
                            "; router entropy {:.3f} nats, {:.0f}% of the highest; dropped: {}; gradient norm of "
                            "each expert: {}",
                            of_layer, fmt::join(layer.tokens_per_expert, ", "), layer.tokens_per_expert.size(),
                            layer.std, layer.max_over_mean, layer.entropy, 100 * layer.entropy_share, drops_text(layer),
                            norms_text(layer.expert_grad_norm)));
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json balance_json(const trace::Balance& layer) {
  auto norms = nlohmann::ordered_json::array();
  for (const double norm : layer.expert_grad_norm) {
    norms.push_back(std::isfinite(norm) ? nlohmann::ordered_json(norm) : nlohmann::ordered_json(nullptr));
  }
  auto drops = nlohmann::ordered_json::object();
  for (const auto& [reason, share] : layer.dropped_by_reason) drops[reason] = share;
  return {{"tokens_per_expert", layer.tokens_per_expert},
          {"std_tokens_per_expert", layer.std},
          {"max_over_mean", layer.max_over_mean},
          {"router_entropy", layer.entropy},
          {"dropped_by_reason", drops},
          {"expert_grad_norm", norms}};
}

}  // namespace duet::cli
