#include "viz/app/what_if.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/run_flags.h"
#include "core/error.h"
#include "moe/capacity.h"
#include "parallel/shard.h"
#include "train/draws.h"

namespace duet::viz {

namespace {

using trace::StepRecord;

/// A token, and the rank's layer that counts it.
struct Pooled {
  trace::TokenRoute* token;
  trace::LayerStep* layer;
};
using Pool = std::vector<Pooled>;  ///< tokens that share an expert's room, in global order

// The sizes of the parts that a rank's tokens are cut into: its shards of each micro-batch. As the run's flags say, or
// in equal parts where a live run has changed the numbers since.
std::vector<std::vector<std::int64_t>> parts_of(int rank, int world, std::int64_t tokens, const RunConfig& config) {
  std::vector<std::vector<std::int64_t>> parts;
  std::int64_t sum = 0, count = 0;
  for (auto& part : micro_batches_of(rank, world, shard_sizes(config), config.accumulate)) {
    sum += part.local_tokens();
    count += std::ssize(part.tokens);
    parts.push_back(std::move(part.tokens));
  }
  if (sum == tokens || count == 0) return parts;
  for (auto& part : parts) part.assign(part.size(), tokens / count);
  return parts;
}

// By scope: a pool a shard, or one for each micro-batch of the whole batch.
std::vector<Pool> pools_of(StepRecord& step, std::size_t layer, const RunConfig& config) {
  std::vector<Pool> shards, batches(static_cast<std::size_t>(config.accumulate));
  const auto world = static_cast<int>(step.ranks.size());
  for (int rank = 0; rank < world; ++rank) {
    auto& own = step.ranks[static_cast<std::size_t>(rank)].layers[layer];
    auto next = own.tokens.begin();
    const auto parts = parts_of(rank, world, std::ssize(own.tokens), config);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (const auto size : parts[part]) {
        auto& shard = shards.emplace_back();
        for (std::int64_t i = 0; i < size && next != own.tokens.end(); ++i, ++next) shard.push_back({&*next, &own});
        batches[part].insert(batches[part].end(), shard.begin(), shard.end());
      }
    }
  }
  return config.model.capacity_scope == Scope::global ? batches : shards;
}

Routing routing_of(const Pool& pool) {
  const auto tokens = std::ssize(pool);
  const auto k = std::ssize(pool.front().token->expert);
  Routing routing;
  routing.expert = at::empty({tokens, k}, at::kLong);
  routing.gate = at::empty({tokens, k}, at::kFloat);
  auto* expert = routing.expert.data_ptr<std::int64_t>();
  auto* gate = routing.gate.data_ptr<float>();
  for (const auto& [token, layer] : pool) {
    expert = std::copy(token->expert.begin(), token->expert.end(), expert);
    gate = std::copy(token->gate.begin(), token->gate.end(), gate);
  }
  const auto experts = std::ssize(pool.front().layer->tokens_per_expert);
  routing.logits = at::zeros({tokens, experts}, at::kFloat);  // the rule reads nothing of it but its width
  return routing;
}

trace::DropReason reason_of(DropPolicy drop) {
  if (drop == DropPolicy::probability) return trace::DropReason::low_probability;
  return drop == DropPolicy::random ? trace::DropReason::random : trace::DropReason::over_capacity;
}

void write_drops(const Pool& pool, const at::Tensor& mask, trace::DropReason reason) {
  const auto kept = mask.contiguous();
  const auto* flag = kept.data_ptr<bool>();
  for (const auto& [token, layer] : pool) {
    for (std::size_t j = 0; j < token->reason.size(); ++j, ++flag) {
      token->reason[j] = *flag ? trace::DropReason::kept : reason;
      if (!*flag) ++layer->dropped_per_expert[static_cast<std::size_t>(token->expert[j])];
    }
  }
}

void recompute_layer(StepRecord& step, std::size_t layer, const RunConfig& config) {
  const auto& model = config.model;
  const CapacityRule rule{.factor = parse_capacity_factor(model.capacity_factor),
                          .minimum = model.min_capacity,
                          .drop = model.drop,
                          .slot_order = model.slot_order,
                          .scope = model.capacity_scope};
  for (auto& rank : step.ranks) {
    auto& own = rank.layers[layer];
    own.dropped_per_expert.assign(own.tokens_per_expert.size(), 0);
    own.drop_reason = reason_of(rule.drop);
  }
  for (const auto& pool : pools_of(step, layer, config)) {
    if (pool.empty()) continue;
    auto routing = routing_of(pool);
    ShardRange range;
    range.tokens = {std::ssize(pool)};
    range.first_token = pool.front().token->token;
    routing.draw = draw_router(config, step.step, static_cast<std::int64_t>(layer), range, at::kFloat).drop;
    write_drops(pool, apply_capacity(routing, rule).mask, reason_of(rule.drop));
    const auto limit = rule.limit(std::ssize(pool), routing.logits.size(1), routing.expert.size(1));
    step.capacity = std::max(step.capacity, limit.value_or(-1));
  }
}

}  // namespace

RunConfig config_of(const trace::Header& header) {
  RunConfig config;
  const auto values = nlohmann::json::parse(header.config);
  for (const auto& flag : cli::run_flags()) {
    if (values.contains(flag.name) && values[flag.name].is_string()) {
      flag.set(config, values[flag.name].get<std::string>());
    }
  }
  return config;
}

StepRecord recompute_plan(const trace::Header& header, const StepRecord& step, const WhatIf& rule) {
  for (const auto& rank : step.ranks) {
    if (rank.layers.empty() || std::ssize(rank.layers.front().tokens) != rank.layers.front().token_count) {
      throw InputError("what-if needs every token's scores, and this step has none: train with --record-tokens");
    }
  }
  auto config = config_of(header);
  cli::set_flag(config, "capacity-factor", rule.capacity_factor, "what if");
  cli::set_flag(config, "drop", rule.drop, "what if");
  auto changed = step;
  changed.capacity = -1;
  for (std::size_t l = 0; l < step.ranks.front().layers.size(); ++l) recompute_layer(changed, l, config);
  return changed;
}

}  // namespace duet::viz
