// The viewer's figures against their limits: a frame, vertices, opening and seeking long traces, memory.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <random>

#include "bench/view/figures.h"
#include "bench/view/long_trace.h"
#include "bench/view/scene.h"
#include "viz/app/panel_names.h"

namespace duet::bench {

namespace {

using viz::test::MadeRun;

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double heap_mb() {
  const auto heap = ::mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd) / 1e6;
}

// Takes the median of the repetitions of each benchmark, or nothing.
class Medians : public benchmark::BenchmarkReporter {
 public:
  explicit Medians(Figures& figures) : figures_(figures) {}
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.aggregate_name != "median") continue;
      figures_.push_back({run.run_name.function_name, run.GetAdjustedRealTime(), "ms", 1.5});
    }
  }

 private:
  Figures& figures_;
};

// Every frame is a repetition of its own, so that the median is one of frames.
void time_frames(const std::string& name, Scene& scene, viz::Panels panels) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [&scene, panels](benchmark::State& state) {
                                 scene.viewer().panels = panels;
                                 for ([[maybe_unused]] const auto _ : state) scene.frame();
                               })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(201)
      ->ReportAggregatesOnly();
}

void frames(Figures& figures) {
  Scene plain(made_trace(MadeRun{}, {"ep", "dp"}, 12));
  Scene zoomed(made_trace(MadeRun{}, {"ep", "dp"}, 12));
  zoomed.viewer().panels = viz::Panels::routing;
  zoomed.zoom_to_tokens();
  for (const auto& [name, panels] : viz::panel_names()) {
    time_frames(fmt::format("frame, T 4096, k 2, E 8: {}", name), plain, panels);
  }
  time_frames("frame, single tokens: routing", zoomed, viz::Panels::routing);
  time_frames("frame, single tokens: all", zoomed, viz::Panels::all);
  Medians medians(figures);
  benchmark::RunSpecifiedBenchmarks(&medians);
  benchmark::ClearRegisteredBenchmarks();
}

// Beyond as many steps as pixels, more steps must not give more vertices.
void vertices(Figures& figures) {
  std::map<std::string, double> before;
  for (const std::int64_t steps : {10, 1000, 3000, 10'000}) {
    Scene scene(made_trace(MadeRun{.tokens = 64, .record_tokens = false}, {"ep", "dp"}, steps));
    for (const auto& [name, panels] : viz::panel_names()) {
      scene.viewer().panels = panels;
      for (int i = 0; i < 3; ++i) scene.frame();
      Figure figure{fmt::format("vertices, {} steps: {}", steps, name), static_cast<double>(scene.vertices()), "", {}};
      if (steps == 10'000) figure.limit = std::ceil(before[name] * 1.03);  // labels have more digits
      before[name] = figure.value;
      figures.push_back(figure);
    }
  }
}

// A whole process, from its start to its picture.
void time_process(Figures& figures, const std::string& what, const std::filesystem::path& trace, double limit_ms) {
  const auto picture = trace.string() + ".png";
  double best = 1e9;
  struct rusage usage = {};
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto child = ::fork();
    if (child == 0) {
      ::execl(DUET_VIEW, DUET_VIEW, trace.c_str(), "--screenshot", picture.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::wait4(child, &status, 0, &usage);
    if (status != 0) throw std::runtime_error(fmt::format("duet_view --screenshot failed (status {})", status));
    best = std::min(best, ms_since(start));
  }
  figures.push_back({what + ": process to picture written", best, "ms", limit_ms});
  figures.push_back(
      {what + ": peak memory of it, file pages too", static_cast<double>(usage.ru_maxrss) / 1e3, "MB", {}});
}

// Worst of many random steps; the file is in the system's page cache.
void seeks(Figures& figures, const std::string& what, Scene& scene, int count) {
  std::mt19937_64 random(1);
  const auto& steps = scene.trace().steps();
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const auto place = random() % steps.size();
    const auto start = std::chrono::steady_clock::now();
    scene.viewer().go_to_place(place);
    scene.frame();
    worst = std::max(worst, ms_since(start));
  }
  figures.push_back({what, worst, "ms", 50});
}

void long_trace(Figures& figures, const std::string& name, const std::filesystem::path& trace, double limit_ms) {
  time_process(figures, name, trace, limit_ms);
  const double before = heap_mb();
  const auto start = std::chrono::steady_clock::now();
  Scene scene(trace);
  scene.frame();
  figures.push_back({name + ": first frame, in process", ms_since(start), "ms", limit_ms});
  seeks(figures, name + ": worst seek", scene, 100);
  scene.viewer().panels = viz::Panels::curves;
  scene.frame();
  scene.viewer().panels = viz::Panels::routing;
  scene.zoom_to_tokens();
  seeks(figures, name + ": worst seek, single tokens", scene, 40);
  figures.push_back({name + ": heap after it all", heap_mb() - before, "MB", {}});
}

void long_traces(Figures& figures, double megabytes, const std::string& size, double limit_ms) {
  TraceFolder folder;
  const auto bytes = static_cast<std::size_t>(megabytes * 1e6);
  for (const bool tokens : {false, true}) {
    const auto path = folder.write({.record_tokens = tokens}, bytes);
    long_trace(figures, size + (tokens ? ", with tokens" : ""), path, limit_ms);
    std::filesystem::remove(path);
  }
}

int run(int argc, char** argv) {
  CLI::App app("The viewer's figures against their limits.", "./duet bench view");
  bool as_json = false, huge = false;
  app.add_flag("--json", as_json, "JSON instead of a table");
  app.add_flag("--huge", huge, "traces of 1 GB too (1 GB of disk, some minutes)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Figures figures;
  frames(figures);
  vertices(figures);
  long_traces(figures, 100, "100 MB", 500);
  if (huge) long_traces(figures, 1000, "1 GB", 2000);
  fmt::print("{}", as_json ? json(figures) : table(figures));
  return std::all_of(figures.begin(), figures.end(), [](const Figure& f) { return f.met(); }) ? 0 : 1;
}

}  // namespace

}  // namespace duet::bench

int main(int argc, char** argv) { return duet::bench::run(argc, argv); }
