#include "viz/app/live_settings.h"

#include <fmt/format.h>

#include "cli/check_config.h"
#include "cli/run_flags.h"

namespace duet::viz {

LiveSettings settings_of(const RunConfig& config, double steps_per_s) {
  LiveSettings settings;
  settings.tokens = config.data.tokens.front();
  settings.capacity_factor = config.model.capacity_factor;
  settings.aux = config.model.aux.empty() ? "none" : name(config.model.aux.front().kind);
  settings.aux_weight = config.model.aux.empty() ? 0.001 : config.model.aux.front().weight;
  settings.dataset = config.data.dataset == Dataset::random ? "random" : "two-functions";
  settings.lr = config.optimizer.lr;
  settings.steps_per_s = steps_per_s;
  return settings;
}

RunConfig with_settings(RunConfig config, const LiveSettings& before, const LiveSettings& wanted) {
  const auto set = [&](const char* flag, const std::string& value) {
    cli::set_flag(config, flag, value, "the controls");
  };
  if (wanted.tokens != before.tokens) set("tokens", fmt::to_string(wanted.tokens));
  if (wanted.capacity_factor != before.capacity_factor) set("capacity-factor", wanted.capacity_factor);
  if (wanted.aux != before.aux || wanted.aux_weight != before.aux_weight) {
    set("aux", wanted.aux == "none" ? wanted.aux : fmt::format("{}={}", wanted.aux, wanted.aux_weight));
  }
  if (wanted.dataset != before.dataset) set("dataset", wanted.dataset);
  if (wanted.lr != before.lr) set("lr", fmt::to_string(wanted.lr));
  cli::check_config(config);
  return config;
}

}  // namespace duet::viz
