#include "cli/compare_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/balance_table.h"
#include "cli/conclusions.h"
#include "cli/run_flags.h"

namespace duet::cli {

namespace {

using nlohmann::ordered_json;

// JSON has no word for infinity; null is what a reader then expects.
ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json spread_json(const trace::Spread& spread) {
  return {
      {"median", spread.median}, {"p10", spread.p10}, {"p90", spread.p90}, {"min", spread.min}, {"mean", spread.mean}};
}

ordered_json mode_json(const ModeSummary& mode, std::int64_t value_bytes) {
  auto phases = ordered_json::object();
  for (const auto& row : mode.breakdown.rows) {
    phases[trace::label(row.key)] = {{"work_us", spread_json(row.work_us)},
                                     {"wait_us", spread_json(row.wait_us)},
                                     {"transfer_us", spread_json(row.transfer_us)}};
  }
  return {{"step_us", spread_json(mode.breakdown.step_us)},
          {"phases", phases},
          {"bytes_per_step", mode.bytes.measured},
          {"bytes_formula", mode.bytes.formula},
          {"params_per_rank", mode.parameter_bytes / value_bytes},
          {"params_bytes_per_rank", mode.parameter_bytes},
          {"optimizer_bytes_per_rank", mode.optimizer_bytes},
          {"loss_first", number(mode.loss_first())},
          {"loss_last", number(mode.loss_last())}};
}

ordered_json difference_json(const std::optional<RouteDifference>& difference) {
  if (!difference) return nullptr;
  return {{"step", difference->step},
          {"token", difference->token},
          {"mode", name(difference->mode)},
          {"expert", difference->expert},
          {"single_expert", difference->single_expert}};
}

}  // namespace

ordered_json compare_json(const CompareResult& result, const std::vector<std::string>& sentences,
                          const std::string& run) {
  const std::int64_t value_bytes = result.config.float64 ? 8 : 4;
  auto config = ordered_json::object();
  for (const auto& [flag, value] : flag_values(result.config)) config[flag] = value;
  auto layers = ordered_json::array();
  for (const auto& layer : result.balance) layers.push_back(balance_json(layer));
  const auto first = result.balance.empty() ? trace::Balance{} : result.balance.front();
  auto aux = ordered_json::object();
  for (const auto& term : result.aux) aux[term.kind] = number(term.value);
  return {{"ep", mode_json(result.ep, value_bytes)},
          {"dp", mode_json(result.dp, value_bytes)},
          {"single", mode_json(result.single, value_bytes)},
          {"tokens_per_expert", result.tokens_per_expert},
          {"std_tokens_per_expert", result.std_tokens_per_expert},
          {"dropped_share", result.dropped_share},
          {"max_over_mean", first.max_over_mean},
          {"router_entropy", first.entropy},
          {"dropped_by_reason", layers.empty() ? ordered_json::object() : layers.front()["dropped_by_reason"]},
          {"expert_grad_norm", layers.empty() ? ordered_json::array() : layers.front()["expert_grad_norm"]},
          {"layers", layers},
          {"aux", aux},
          {"max_param_diff", number(result.difference.largest())},
          {"max_param_diff_f64", number(result.difference_f64.largest())},
          {"first_route_difference", difference_json(result.difference.first)},
          {"equal", result.equal},
          {"byte_equal_tokens", number(byte_equal_tokens_of(result.config))},
          {"world_size", result.config.layout.ranks},
          {"transport", comm::name(result.config.transport)},
          {"device", "cpu"},
          {"steps", result.steps},
          {"warm_up", result.warm_up},
          {"run", run},
          {"conclusions", sentences},
          {"config", config}};
}

}  // namespace duet::cli
