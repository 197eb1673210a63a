// ./duet view: a trace in a window, or as a picture.
#include <fmt/format.h>
#include <imgui.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "core/atomic_file.h"
#include "core/error.h"
#include "trace/reader.h"
#include "viz/app/screenshot.h"
#include "viz/app/viewer.h"
#include "viz/model/flow_stages.h"
#include "viz/model/panel_csv.h"
#include "viz/panels/palette.h"
#include "viz/platform/window.h"

namespace duet::viz {

namespace {

struct Options {
  std::string trace;
  std::string screenshot;
  std::string csv;
  Panels panels = Panels::all;
  std::int64_t step = -1;
  int stage = 1;
  std::string size = "1280x720";
  float font_size = 16;
  std::string caption;
  bool dark = false;
};

std::unique_ptr<TraceIndex> open(const std::string& name) {
  if (name != "-") return std::make_unique<TraceIndex>(trace::trace_file(name));
  std::ostringstream all;
  all << std::cin.rdbuf();
  return std::make_unique<TraceIndex>(all.str(), "standard input");
}

std::pair<int, int> size_of(const std::string& text) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 200 || height < 150 ||
      width > 16'384 || height > 16'384) {
    throw InputError({.what = fmt::format("--size is '{}'", text),
                      .where = {},
                      .usually = {},
                      .fix = "write it as --size 1280x720; at least 200x150"});
  }
  return {width, height};
}

std::string csv_of(const Frame& frame, Panels panels, const TraceSet& traces) {
  const auto* const step = frame.modes.empty() ? nullptr : frame.modes[frame.shown].step;
  if (panels == Panels::curves) return curves_csv(frame.curves);
  if (panels == Panels::load) return load_csv(frame.curves);
  if (panels == Panels::timeline) return timeline_csv(frame.modes);
  if (panels == Panels::all) {
    throw InputError({.what = "--csv writes one panel's data",
                      .where = {},
                      .usually = {},
                      .fix = "say which: --panel routing, timeline, curves, load, traffic or flow"});
  }
  if (step == nullptr) throw InputError("the trace has no such step");
  if (panels == Panels::flow) return flow_csv(*traces.find_with_tokens(frame.shown, frame.step), frame.layer);
  return panels == Panels::routing ? routing_csv(*step, frame.layer) : traffic_csv(*step);
}

void show(const Options& options) {
  const auto trace = open(options.trace);
  TraceSet traces({trace.get()}, {options.trace});
  Viewer viewer(traces, options.trace);
  viewer.panels = options.panels;
  viewer.dark = options.dark;
  viewer.caption = options.caption;
  viewer.go_to_stage(options.stage - 1);
  if (options.step >= 0) {
    viewer.go_to_step(options.step);
  } else {
    viewer.go_to_place(trace->steps().size());
  }
  if (!options.csv.empty()) write_file(options.csv, csv_of(viewer.frame(), options.panels, traces));
  if (!options.csv.empty() && options.screenshot.empty()) return;
  const auto [width, height] = size_of(options.size);
  if (!options.screenshot.empty()) {
    save_screenshot(viewer, {.width = width, .height = height, .font_size = options.font_size}, options.screenshot);
    return;
  }
  run_window(
      {.title = "Duet: " + options.trace, .width = width, .height = height, .font_size = options.font_size},
      [&](float w, float h) {
        apply_style(viewer.dark, options.font_size / 16);
        return viewer.draw(w, h);
      },
      0.5, [&] { return viewer.refresh(); });
}

int run(int argc, char** argv) {
  CLI::App app("Shows a trace: which tokens went where, and where a step's time went.", "./duet view");
  Options options;
  app.add_option("trace", options.trace, "a run's folder, a trace.jsonl, or - for standard input")->required();
  app.add_option("--screenshot", options.screenshot, "write a PNG and open no window");
  app.add_option("--csv", options.csv, "write the panel's data and open no window; /dev/stdout for the terminal");
  app.add_option("--panel", options.panels, "all, routing, timeline, curves, load, traffic or flow")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Panels>{{"all", Panels::all},
                                                                        {"routing", Panels::routing},
                                                                        {"timeline", Panels::timeline},
                                                                        {"curves", Panels::curves},
                                                                        {"load", Panels::load},
                                                                        {"traffic", Panels::traffic},
                                                                        {"flow", Panels::flow}}));
  app.add_option("--step", options.step, "the step to begin at; the last one without")->check(CLI::NonNegativeNumber);
  app.add_option("--stage", options.stage, "of the flow, from 1")->check(CLI::Range(1, stage_count));
  app.add_option("--size", options.size, "of the window or picture")->capture_default_str();
  app.add_option("--font-size", options.font_size, "in pixels")->check(CLI::Range(8, 64))->capture_default_str();
  app.add_option("--caption", options.caption, "a sentence above the panels: what to look at");
  app.add_flag("--dark", options.dark, "light text on dark");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  show(options);
  return 0;
}

}  // namespace

}  // namespace duet::viz

int main(int argc, char** argv) {
  try {
    return duet::viz::run(argc, argv);
  } catch (const duet::Error& error) {
    fmt::print(stderr, "error: {}\n", duet::format_error(error.text()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  }
}
