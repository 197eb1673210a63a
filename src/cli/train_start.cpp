#include "cli/train_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/check_config.h"
#include "cli/config_file.h"
#include "cli/parse_value.h"
#include "cli/run_flags.h"
#include "core/error.h"
#include "trace/modes.h"
#include "trace/reader.h"
#include "train/checkpoint_folder.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

/// What parameters, their precision and the data stand on.
constexpr std::array fixed{"dim",     "hidden", "experts", "expert", "layers", "router-bias",
                           "dataset", "tokens", "shards",  "seed",   "float64"};

Mode mode_of(const std::string& text) {
  return std::array{Mode::ep, Mode::dp, Mode::single}[parse_choice("mode", text, {"ep", "dp", "single"})];
}

std::string value_of(const RunConfig& config, const std::string& name) {
  for (const auto& [flag, value] : flag_values(config)) {
    if (flag == name) return value;
  }
  return {};
}

RunConfig read_run(const fs::path& folder) {
  const auto file = folder / "config.toml";
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    throw InputError({.what = fmt::format("{} is not the folder of a run: it has no config.toml", folder.string()),
                      .where = "--resume",
                      .usually = "it is a folder above or below, or the run was ended before it began",
                      .fix = "name one of the folders in runs/"});
  }
  RunConfig config;
  read_config(config, file);
  return config;
}

// The shards stay as they are whatever the ranks become, so that every layout gets the same batches.
void keep_shards(RunConfig& config, const std::vector<std::int64_t>& shards) {
  config.data.shards = static_cast<int>(shards.size());
  config.data.tokens = shards;
  const bool alike = std::adjacent_find(shards.begin(), shards.end(), std::not_equal_to<>()) == shards.end();
  if (alike && !shards.empty()) config.data.tokens = {shards.front()};
}

void override_by(const TrainFlags& flags, RunConfig& config) {
  for (const auto& [name, value] : flags.given) {
    const auto before = value_of(config, name);
    set_flag(config, name, value, "the command line");
    const auto after = value_of(config, name);
    if (before == after || std::find(fixed.begin(), fixed.end(), name) == fixed.end()) continue;
    throw InputError({.what = fmt::format("--{} {} does not fit the run: it has {}", name, after, before),
                      .where = "--resume",
                      .usually = "parameters and data stand on it, so it cannot change on the way",
                      .fix = "leave the flag out, or start a new run without --resume"});
  }
}

void check_steps(const RunConfig& config, const TrainState& state) {
  if (config.steps == 0 || config.steps >= state.step) return;
  throw InputError({.what = fmt::format("--steps {}, and the run has done {}", config.steps, state.step),
                    .where = "--resume",
                    .usually = "--steps is the run's length in all, not what is added",
                    .fix = fmt::format("give more than {}", state.step)});
}

// The mode stands in the header of a run without checkpoints.
std::string mode_in(const trace::Header& header) {
  const auto config = nlohmann::json::parse(header.config, nullptr, /*allow_exceptions=*/false);
  const bool told = config.is_object() && config.contains("mode") && config["mode"].is_string();
  return told ? config["mode"].get<std::string>() : "";
}

/// The earlier run's trace; nothing, and said, when it does not read.
std::optional<trace::Trace> read_trace_of(const fs::path& folder) {
  try {
    return trace::read_trace(folder);
  } catch (const InputError& error) {
    fmt::print(stderr, "the trace of the earlier steps is left out: {}\n", error.what());
    return {};
  }
}

std::vector<trace::StepRecord> steps_before(trace::Trace trace, std::int64_t step) {
  std::erase_if(trace.steps, [step](const trace::StepRecord& record) { return record.step >= step; });
  return std::move(trace.steps);
}

void refuse_compare(const trace::Trace& trace, const fs::path& folder) {
  if (!mode_in(trace.header).empty() || trace::modes_of(trace).size() < 2) return;  // a run of train names its mode
  throw InputError(
      {.what = fmt::format("{} is a run of compare", folder.string()),
       .where = "--resume",
       .usually = "compare trains three modes at once and leaves no checkpoint",
       .fix = fmt::format("train one of them anew: ./duet train --config {}/config.toml", folder.string())});
}

TrainStart resumed(const TrainFlags& flags) {
  if (!flags.config_file.empty()) {
    throw InputError({.what = "--config with --resume: a run goes on with its own configuration",
                      .where = {},
                      .usually = {},
                      .fix = "leave --config out; flags override the run's configuration"});
  }
  const fs::path folder(flags.resume);
  TrainStart start{.config = read_run(folder), .resumed = true, .state = {}, .checkpoint = {}};
  auto newest = newest_checkpoint(folder / "checkpoints");
  for (const auto& reason : newest.refused) fmt::print(stderr, "passed over: {}\n", reason);
  auto trace = read_trace_of(folder);
  start.trace_unread = !trace;
  if (trace) refuse_compare(*trace, folder);
  auto mode = trace ? mode_in(trace->header) : "";
  if (newest.checkpoint) {
    auto& [state, info] = *newest.checkpoint;
    mode = name(info.mode);
    start.config.data.seed = info.seed;
    keep_shards(start.config, info.shard_tokens);
    if (trace) start.before = steps_before(std::move(*trace), state.step);
    start.state = std::move(state);
    start.checkpoint = newest.path;
  } else {
    fmt::print(stderr, "{} has no checkpoint{}: starting from the first step\n", folder.string(),
               newest.refused.empty() ? " yet" : " that can be read");
    keep_shards(start.config, shard_sizes(start.config));
    start.trace_unread = true;  // its steps are done again: what is there of them is kept aside
  }
  override_by(flags, start.config);
  if (start.state) check_steps(start.config, *start.state);
  start.mode = mode_of(!flags.mode.empty() ? flags.mode : !mode.empty() ? mode : "ep");
  start.config.out = flags.out;
  settle_device(start.config, flags.given.contains("transport"));
  check_config(start.config);
  return start;
}

}  // namespace

TrainStart train_start(const TrainFlags& flags) {
  if (!flags.resume.empty()) return resumed(flags);
  return {
      .config = flags.config(), .mode = mode_of(flags.mode.empty() ? "ep" : flags.mode), .state = {}, .checkpoint = {}};
}

}  // namespace duet::cli
