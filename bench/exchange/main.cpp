// ./duet bench exchange: every operation of a transport over sizes, in the manner of nccl-tests.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/exchange/measure.h"
#include "cli/check_config.h"
#include "cli/mpirun.h"
#include "cli/processes.h"
#include "cli/run_flags.h"
#include "cli/text_table.h"
#include "core/error.h"
#include "model/time_model.h"
#include "train/device.h"
#include "train/ranks.h"

namespace duet::bench {

namespace {

struct Options {
  RunConfig run;
  std::string transport = "threads";
  std::string operation = "all";
  std::int64_t min_bytes = 128;
  std::int64_t max_bytes = std::int64_t{1} << 25;
  std::int64_t factor = 8;
  std::int64_t rounds = 50;
  bool json = false;
};

struct Series {
  Operation operation;
  std::vector<Figures> sizes;
};

// The line for the time model: over the bytes that leave a rank, which is what a message pays for.
std::optional<TimeLine> line_of(const Series& series, int ranks) {
  std::vector<Measurement> measurements;
  for (const auto& at_size : series.sizes) {
    const auto moved = static_cast<double>(at_size.bytes) * series.operation.bus_share(ranks);
    if (moved > 0) measurements.push_back({.amount = moved, .us = at_size.min_us});
  }
  if (measurements.size() < 2) return std::nullopt;
  return fit_time_line(measurements);
}

double gigabytes_per_s(double bytes, double us) { return bytes / us / 1000; }

std::string table_of(const Series& series, int ranks) {
  cli::TextTable table;
  table.add({"bytes", "min us", "median us", "algbw GB/s", "busbw GB/s", "copy us", "min / copy", "result"});
  for (const auto& figures : series.sizes) {
    const double bandwidth = gigabytes_per_s(static_cast<double>(figures.bytes), figures.min_us);
    table.add({fmt::to_string(figures.bytes), fmt::format("{:.2f}", figures.min_us),
               fmt::format("{:.2f}", figures.median_us), fmt::format("{:.3f}", bandwidth),
               fmt::format("{:.3f}", bandwidth * series.operation.bus_share(ranks)),
               fmt::format("{:.2f}", figures.copy_us), fmt::format("{:.1f}", figures.min_us / figures.copy_us),
               figures.right ? "right" : "WRONG"});
  }
  return table.text();
}

std::string say_line(const Series& series, int ranks) {
  const auto line = line_of(series, ranks);
  if (!line) return "no line: nothing leaves a rank, or there is one size only\n";
  return fmt::format("latency (alpha) {:.1f} us, then {:.3f} GB/s (1 / beta), from {:.0f} to {:.0f} bytes sent\n",
                     line->alpha_us, 1 / line->beta_us / 1000, line->smallest, line->largest);
}

nlohmann::ordered_json json_of(const Series& series, int ranks) {
  nlohmann::ordered_json json{{"operation", series.operation.name}, {"sizes", nlohmann::ordered_json::array()}};
  for (const auto& figures : series.sizes) {
    const double bandwidth = gigabytes_per_s(static_cast<double>(figures.bytes), figures.min_us);
    json["sizes"].push_back({{"bytes", figures.bytes},
                             {"min_us", figures.min_us},
                             {"median_us", figures.median_us},
                             {"algbw_gbps", bandwidth},
                             {"busbw_gbps", bandwidth * series.operation.bus_share(ranks)},
                             {"copy_us", figures.copy_us},
                             {"right", figures.right}});
  }
  const auto line = line_of(series, ranks);
  json["alpha_us"] = line ? nlohmann::ordered_json(line->alpha_us) : nullptr;
  json["beta_us_per_byte"] = line ? nlohmann::ordered_json(line->beta_us) : nullptr;
  return json;
}

std::vector<Series> measure_all(const Options& options) {
  std::vector<Series> all;
  for (const auto& operation : operations(options.operation)) all.push_back({operation, {}});
  run_on_ranks(options.run, [&](comm::Communicator& world) {
    for (auto& series : all) {
      for (auto bytes = options.min_bytes; bytes <= options.max_bytes; bytes *= options.factor) {
        const auto figures = measure(world, series.operation, bytes, options.rounds, device_here(options.run));
        if (world.rank() == 0) series.sizes.push_back(figures);
      }
    }
  });
  return all;
}

void tell(const Options& options, const std::vector<Series>& all) {
  const int ranks = options.run.layout.ranks;
  if (options.json) {
    nlohmann::ordered_json json{{"transport", options.transport}, {"ranks", ranks}};
    for (const auto& series : all) json["operations"].push_back(json_of(series, ranks));
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} ranks ({}), the slowest rank's time of {} rounds\n", ranks, options.transport, options.rounds);
  for (const auto& series : all) {
    fmt::print("\n{}\n{}{}", series.operation.name, table_of(series, ranks), say_line(series, ranks));
  }
}

void add_flags(CLI::App& app, Options& options) {
  app.add_option("--transport", options.transport, "threads, mpi (starts itself under mpirun) or nccl")
      ->capture_default_str();
  app.add_option("--ranks", options.run.layout.ranks, "how many")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--operation", options.operation, "all, all_to_all, all_reduce, all_gather, reduce_scatter, ...")
      ->capture_default_str();
  const auto size = CLI::Range(std::int64_t{1}, std::int64_t{1} << 34);
  app.add_option("--min-bytes", options.min_bytes, "the smallest buffer of a rank")->check(size)->capture_default_str();
  app.add_option("--max-bytes", options.max_bytes, "the largest")->check(size)->capture_default_str();
  app.add_option("--factor", options.factor, "from one size to the next")
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "of which the fastest and the median are told")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_flag("--json", options.json, "one JSON object and nothing else");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Every operation of a transport over sizes, beside a copy of as many bytes where they lie.");
  add_flags(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.min_bytes > options.max_bytes) {
    throw InputError(
        {.what = fmt::format("--min-bytes {} is more than --max-bytes {}", options.min_bytes, options.max_bytes),
         .where = {},
         .usually = {},
         .fix = "give a larger --max-bytes"});
  }
  cli::set_flag(options.run, "transport", options.transport, "the command line");
  cli::settle_device(options.run, /*transport_chosen=*/true);
  if (cli::starts_processes(options.run)) {
    return cli::run_under_mpirun(options.run.layout.ranks, cli::own_arguments(), {});
  }
  const auto all = measure_all(options);
  if (cli::has_rank_zero(options.run)) tell(options, all);
  return 0;
}

}  // namespace

}  // namespace duet::bench

int main(int argc, char** argv) {
  try {
    return duet::bench::run(argc, argv);
  } catch (const duet::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
