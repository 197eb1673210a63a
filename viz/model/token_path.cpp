#include "viz/model/token_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "viz/model/flows.h"

namespace duet::viz {

namespace {

using trace::DropReason;
using trace::LayerStep;
using trace::StepRecord;
using trace::TokenRoute;

const TokenRoute* find(const LayerStep& layer, std::int64_t token) {
  const auto& tokens = layer.tokens;
  if (tokens.empty()) return nullptr;
  const auto place = token - tokens.front().token;  // they follow each other, as a rule
  if (place >= 0 && place < std::ssize(tokens) && tokens[static_cast<std::size_t>(place)].token == token) {
    return &tokens[static_cast<std::size_t>(place)];
  }
  const auto found =
      std::find_if(tokens.begin(), tokens.end(), [&](const TokenRoute& one) { return one.token == token; });
  return found == tokens.end() ? nullptr : &*found;
}

// Calls `see(route, gate, reason)` for each pair of a rank's tokens that chose the expert, in order.
template <typename See>
void each_pair(const LayerStep& layer, std::int64_t expert, const See& see) {
  for (const auto& route : layer.tokens) {
    const auto choices = std::min({route.expert.size(), route.gate.size(), route.reason.size()});
    for (std::size_t i = 0; i < choices; ++i) {
      if (route.expert[i] == expert) see(route, route.gate[i], route.reason[i]);
    }
  }
}

PairPath pair_path(const StepRecord& step, std::size_t layer, int rank, const TokenRoute& route, std::size_t choice) {
  PairPath pair{.expert = route.expert[choice], .gate = route.gate[choice], .reason = route.reason[choice]};
  pair.owner = owner_of(step, layer, rank, pair.expert);
  bool before = true;
  each_pair(*layer_of(step, static_cast<std::size_t>(rank), layer), pair.expert,
            [&](const TokenRoute& other, float, DropReason reason) {
              before = before && &other != &route;
              const bool kept = reason == DropReason::kept;
              pair.kept += kept ? 1 : 0;
              pair.place += before && kept != pair.dropped() ? 1 : 0;
            });
  if (pair.dropped()) return pair;
  pair.row = pair.place;
  for (const auto& flow : flows_of(step, layer)) {  // a rank's experts stand in their order
    if (flow.rank == rank && flow.expert < pair.expert) pair.row += flow.pairs - flow.dropped;
  }
  return pair;
}

float lowest_kept_gate(const LayerStep& layer, std::int64_t expert) {
  float lowest = 1e30F;
  each_pair(layer, expert, [&](const TokenRoute&, float gate, DropReason reason) {
    if (reason == DropReason::kept) lowest = std::min(lowest, gate);
  });
  return lowest;
}

std::string takes(const StepRecord& step, const PairPath& pair) {
  if (step.capacity < 0) return fmt::format("expert {} was full", pair.expert);
  return fmt::format("expert {} takes {}", pair.expert, step.capacity);
}

std::string tell_pair(const StepRecord& step, std::size_t layer, const TokenPath& path, std::size_t choice) {
  const auto& pair = path.pairs[choice];
  const auto start =
      fmt::format("choice {}: expert {} on rank {}, gate {:.3f}: ", choice + 1, pair.expert, pair.owner, pair.gate);
  if (pair.dropped()) return start + "dropped, " + why_dropped(step, layer, path, pair);
  return start + fmt::format("kept, row {} of {} (from 0)", pair.place, pair.kept);
}

}  // namespace

bool has_tokens(const StepRecord& step, std::size_t layer) {
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
    const auto* const one = layer_of(step, rank, layer);
    if (one != nullptr && !one->tokens.empty()) return true;
  }
  return false;
}

std::optional<TokenPath> path_of(const StepRecord& step, std::size_t layer, std::int64_t rank, std::int64_t token) {
  std::vector<std::int64_t> ranks{rank};
  for (std::int64_t other = 0; other < std::ssize(step.ranks); ++other) ranks.push_back(other);
  for (const auto one : ranks) {
    if (one < 0 || one >= std::ssize(step.ranks)) continue;
    const auto* const on_rank = layer_of(step, static_cast<std::size_t>(one), layer);
    const auto* const route = on_rank == nullptr ? nullptr : find(*on_rank, token);
    if (route == nullptr) continue;
    TokenPath path{.rank = static_cast<int>(one), .route = route, .pairs = {}};
    const auto choices = std::min({route->expert.size(), route->gate.size(), route->reason.size()});
    for (std::size_t i = 0; i < choices; ++i) path.pairs.push_back(pair_path(step, layer, path.rank, *route, i));
    return path;
  }
  return std::nullopt;
}

const char* words_of(DropReason reason) {
  switch (reason) {
    case DropReason::kept:
      return "kept";
    case DropReason::over_capacity:
      return "over capacity";
    case DropReason::low_probability:
      return "lower gate";
    case DropReason::random:
      return "by lot";
  }
  return "";
}

std::string why_dropped(const StepRecord& step, std::size_t layer, const TokenPath& path, const PairPath& pair) {
  const auto& on_rank = *layer_of(step, static_cast<std::size_t>(path.rank), layer);
  const auto room = takes(step, pair);
  switch (pair.reason) {
    case DropReason::kept:
      return "";
    case DropReason::over_capacity:
      // Counted over the whole batch, other ranks' pairs come first too.
      if (step.capacity < 0 || pair.kept == step.capacity)
        return fmt::format("over capacity: {}, and {} earlier pairs had them", room, pair.kept);
      return fmt::format("over capacity: {}, and earlier pairs had them, {} of this rank's", room, pair.kept);
    case DropReason::low_probability:
      if (pair.kept == 0) return fmt::format("lower gate: {}, and others' gates are higher", room);
      return fmt::format(
          "lower gate: {}, those with the highest gates; the lowest of this rank's that stayed is {:.3f}", room,
          lowest_kept_gate(on_rank, pair.expert));
    case DropReason::random: {
      const auto e = static_cast<std::size_t>(pair.expert);
      const auto wanted = e < on_rank.tokens_per_expert.size() ? on_rank.tokens_per_expert[e] : 0;
      return fmt::format("by lot: {}, drawn at random; {} of this rank's {} stayed", room, pair.kept, wanted);
    }
  }
  return "";
}

std::string tell_logits(const TokenRoute& route) {
  constexpr std::size_t most = 8;
  std::vector<std::size_t> order(route.logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool many = order.size() > most;
  if (many) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return route.logits[a] > route.logits[b]; });
  }
  std::string words;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    words += fmt::format("{}E{} {:.2f}", i == 0 ? "" : ", ", order[i], route.logits[order[i]]);
  }
  if (many) words += fmt::format(" and {} lower", order.size() - most);
  return words;
}

std::vector<std::string> tell_token(const StepRecord& step, std::size_t layer, std::int64_t rank, std::int64_t token) {
  const auto path = path_of(step, layer, rank, token);
  if (!path) return {};
  std::vector<std::string> lines{fmt::format("token {} of rank {}", token, path->rank),
                                 "logits: " + tell_logits(*path->route)};
  for (std::size_t i = 0; i < path->pairs.size(); ++i) lines.push_back(tell_pair(step, layer, *path, i));
  return lines;
}

}  // namespace duet::viz
