#include "cli/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/check_config.h"
#include "cli/conclusions.h"
#include "cli/describe.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "cli/processes.h"
#include "cli/recorded_compare.h"
#include "cli/run_folder.h"
#include "cli/screen.h"
#include "cli/take_gpus.h"
#include "cli/text_table.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "train/compare.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t usual_steps = 60;

struct Sweep {
  std::string name;
  std::vector<std::int64_t> sizes;
};

Sweep parse_sweep(const std::string& text) {
  const auto equals = text.find('=');
  const auto words = std::vector<std::string>{"tokens", "hidden", "experts"};
  Sweep sweep{words[parse_choice("sweep", text.substr(0, equals), words)], {}};
  std::stringstream list(equals == std::string::npos ? "" : text.substr(equals + 1));
  for (std::string one; std::getline(list, one, ',');) {
    sweep.sizes.push_back(parse_integer("sweep", one, 1, 1'000'000'000));
  }
  if (sweep.sizes.empty() ||
      std::adjacent_find(sweep.sizes.begin(), sweep.sizes.end(), std::greater_equal<>()) != sweep.sizes.end()) {
    throw InputError({.what = fmt::format("--sweep {} has no rising list of sizes", text),
                      .where = {},
                      .usually = {},
                      .fix = "write it as --sweep tokens=64,256,1024"});
  }
  return sweep;
}

// Every configuration is checked before the first one runs.
std::vector<RunConfig> configs_of(const VerbFlags& flags, const Sweep& sweep) {
  std::vector<RunConfig> configs;
  for (const auto size : sweep.sizes) {
    auto one = flags;
    one.given[sweep.name] = fmt::to_string(size);
    if (!flags.given.contains("steps") && flags.config_file.empty()) one.given["steps"] = fmt::to_string(usual_steps);
    if (!configs.empty()) {  // settled, and said, once
      one.given["device"] = name(configs.front().device);
      one.given["transport"] = comm::name(configs.front().transport);
    }
    configs.push_back(one.config());
  }
  return configs;
}

struct Results {
  std::vector<CompareResult> results;
  std::vector<SweepPoint> points;
  bool equal = true;
};

// Each size leaves its run in a folder of its own below `folder`.
Results run_all(std::vector<RunConfig> configs, const Sweep& sweep, const fs::path& folder, Progress& progress) {
  Results all;
  const auto& stop = stop_on_interrupt();
  for (std::size_t i = 0; i < configs.size() && !stop; ++i) {
    configs[i].out = folder / fmt::format("{}-{}", sweep.name, sweep.sizes[i]);
    auto result = recorded_compare(configs[i], fmt::format("{} {}", sweep.name, sweep.sizes[i]), progress).result;
    all.points.push_back(
        {static_cast<double>(sweep.sizes[i]), result.ep.breakdown.step_us.median, result.dp.breakdown.step_us.median});
    all.equal = all.equal && result.equal;
    all.results.push_back(std::move(result));
  }
  return all;
}

// Times that the faster one is another at the next size; more than once is mostly noise.
std::size_t faster_changes(const std::vector<SweepPoint>& points) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (crossing_of(std::span(points).subspan(i - 1, 2))) ++changes;
  }
  return changes;
}

std::string say_crossing(const Sweep& sweep, const Results& all) {
  if (all.points.size() < 2) return "One size alone shows no crossing.";
  if (const auto at = crossing_of(all.points)) {
    const auto changes = faster_changes(all.points);
    return fmt::format("Time: they cross at about {} {}{}.", grouped(*at, 0), sweep.name,
                       changes == 1 ? ""
                                    : fmt::format("; the faster one changes {} times, so more --steps would tell "
                                                  "better",
                                                  changes));
  }
  return fmt::format("Time: no crossing between {} and {} {}; {} parallelism is faster all along.", sweep.sizes.front(),
                     sweep.sizes[all.points.size() - 1], sweep.name,
                     all.points.front().ep_us < all.points.front().dp_us ? "expert" : "data");
}

std::string say_bytes(const Sweep& sweep, const Results& all) {
  if (sweep.name != "tokens")
    return "Bytes: see the columns; at each size they are equal at the tokens in the last one.";
  const double equal = byte_equal_tokens_of(all.results.front().config);
  return std::isfinite(equal) && equal > 0
             ? fmt::format("Bytes: both send as many at about {} tokens a rank, by formula.", grouped(equal, 0))
             : "Bytes: there is no number of tokens at which both send as many.";
}

std::string table_of(const Sweep& sweep, const Results& all) {
  TextTable table;
  table.add({sweep.name, "EP us", "DP us", "one device us", "DP / EP", "EP bytes", "DP bytes", "equal at tokens"});
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    const auto& result = all.results[i];
    table.add({fmt::to_string(sweep.sizes[i]), grouped(all.points[i].ep_us), grouped(all.points[i].dp_us),
               grouped(result.single.breakdown.step_us.median),
               fmt::format("{:.2f}", all.points[i].dp_us / all.points[i].ep_us), grouped(result.ep.bytes.measured, 0),
               grouped(result.dp.bytes.measured, 0), grouped(byte_equal_tokens_of(result.config), 0)});
  }
  return table.text();
}

nlohmann::ordered_json json_of(const Sweep& sweep, const Results& all, const std::string& run) {
  auto points = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    const auto& result = all.results[i];
    points.push_back({{"size", sweep.sizes[i]},
                      {"ep_us", all.points[i].ep_us},
                      {"dp_us", all.points[i].dp_us},
                      {"single_us", result.single.breakdown.step_us.median},
                      {"ep_bytes", result.ep.bytes.measured},
                      {"dp_bytes", result.dp.bytes.measured},
                      {"byte_equal_tokens", byte_equal_tokens_of(result.config)},
                      {"equal", result.equal}});
  }
  const auto crossing = crossing_of(all.points);
  return {{"sweep", sweep.name},
          {"points", points},
          {"crossing", crossing ? nlohmann::ordered_json(*crossing) : nlohmann::ordered_json(nullptr)},
          {"equal", all.equal},
          {"run", run}};
}

std::string text_of(const RunConfig& config, const Sweep& sweep, const Results& all) {
  return fmt::format("{}\nmedians of {} steps, a sweep over {}\n\n{}\n{}\n{}\n{}\n", describe(config), config.steps,
                     sweep.name, table_of(sweep, all), say_crossing(sweep, all), say_bytes(sweep, all),
                     all.equal ? "At every size the three agree in float64." : "NOT EQUAL in float64 at some size.");
}

}  // namespace

std::optional<double> crossing_of(std::span<const SweepPoint> points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double before = std::log(points[i - 1].ep_us / points[i - 1].dp_us);
    const double after = std::log(points[i].ep_us / points[i].dp_us);
    if ((before < 0) == (after < 0)) continue;
    const double share = before / (before - after);
    return std::exp(std::lerp(std::log(points[i - 1].size), std::log(points[i].size), share));
  }
  return std::nullopt;
}

int sweep(const VerbFlags& flags, const std::string& text) {
  const auto what = parse_sweep(text);
  const auto configs = configs_of(flags, what);
  if (starts_processes(configs.front())) return run_as_processes(configs.front(), make_run_folder("sweep", flags.out));
  const auto gpus = take_gpus(configs.front());
  if (!has_rank_zero(configs.front())) {
    for (std::size_t i = 0; i < configs.size() && !stop_on_interrupt(); ++i) accompany_compare(configs[i]);
    return static_cast<int>(ExitCode::done);
  }
  const auto folder = make_run_folder("sweep", flags.out);
  Progress progress(!flags.quiet && !flags.json && is_terminal(2));
  const auto all = run_all(configs, what, folder, progress);
  const auto table = all.results.empty() ? std::string() : text_of(configs.front(), what, all);
  write_file(folder / "table.txt", table);
  if (flags.json) {
    fmt::print("{}\n", json_of(what, all, folder.string()).dump(2));
  } else {
    fmt::print("{}\n{}/: table.txt, and the run of each size\n", table, folder.string());
  }
  return static_cast<int>(all.equal ? ExitCode::done : ExitCode::check_failed);
}

}  // namespace duet::cli
