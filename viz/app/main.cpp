// ./duet view: a trace in a window, or as a picture.
#include <fmt/format.h>
#include <imgui.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/interrupt.h"
#include "cli/verb_flags.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "viz/app/panel_names.h"
#include "viz/app/screenshot.h"
#include "viz/app/selection_named.h"
#include "viz/app/session.h"
#include "viz/app/what_if.h"
#include "viz/model/flow_stages.h"
#include "viz/model/flows.h"
#include "viz/model/panel_csv.h"
#include "viz/panels/palette.h"
#include "viz/platform/window.h"

namespace duet::viz {

namespace {

struct Options {
  std::vector<std::string> traces;  ///< none: a run of its own
  cli::VerbFlags run;
  double pace = 5;
  std::string screenshot;
  std::string csv;
  std::string panel = "all";
  std::int64_t step = -1;
  int stage = 1;
  std::size_t layer = 0;
  std::string size = "1280x720";
  float font_size = 16;
  float scale = 0;
  std::string caption;
  std::string select;
  bool dark = false;
};

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

std::string csv_of(const Frame& frame, Panels panels) {
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
  if (panels == Panels::flow) return flow_csv(*frame.tokens, frame.layer);
  return panels == Panels::routing ? routing_csv(*step, frame.layer) : traffic_csv(*step);
}

// What was asked for beside a window; true when that was all.
bool write_files(Viewer& viewer, const Options& options) {
  viewer.want_tokens();  // the flow's data are single tokens
  if (!options.csv.empty()) write_file(options.csv, csv_of(viewer.frame(), panel_named(options.panel)));
  if (options.screenshot.empty()) return !options.csv.empty();
  const auto [width, height] = size_of(options.size);
  const float scale = options.scale > 0 ? options.scale : 1;
  save_screenshot(viewer, {.width = width, .height = height, .font_size = options.font_size, .scale = scale},
                  options.screenshot);
  return true;
}

void open_window(Viewer& viewer, const Options& options, const std::string& title) {
  const auto [width, height] = size_of(options.size);
  const auto draw = [&](const Surface& surface) {
    apply_style(viewer.dark, options.font_size * surface.scale / 16);
    return viewer.draw(surface.width, surface.height);
  };
  run_window({.title = "Duet: " + title,
              .width = width,
              .height = height,
              .font_size = options.font_size,
              .scale = options.scale,
              .stop = &cli::stop_on_interrupt()},
             draw, 0.5, [&] { return viewer.refresh(); });
}

void show_layer(Viewer& viewer, std::size_t layer) {
  viewer.show_layer(layer);
  const auto frame = viewer.frame();
  const auto* const step = frame.modes.empty() ? nullptr : frame.modes[frame.shown].step;
  if (step == nullptr || layer_of(*step, 0, layer) != nullptr || layer_of(*step, 0, 0) == nullptr) return;
  throw InputError({.what = fmt::format("--layer is {}, and the step has {}", layer, step->ranks.front().layers.size()),
                    .where = {},
                    .usually = "layers are counted from 0",
                    .fix = "choose a lower one"});
}

void set_up(Viewer& viewer, const Options& options) {
  viewer.panels = panel_named(options.panel);
  viewer.dark = options.dark;
  viewer.caption = options.caption;
  viewer.recompute = recompute_plan;
  if (options.step >= 0) viewer.go_to_step(options.step);
  viewer.go_to_stage(options.stage - 1);
  show_layer(viewer, options.layer);
  if (options.select.empty()) return;
  viewer.want_tokens();  // a token is looked for among them
  viewer.select(selection_named(options.select, viewer.frame()));
}

void show_traces(const Options& options) {
  TraceSession session(options.traces);
  Viewer viewer(session.traces(), session.title());
  viewer.go_to_last();
  set_up(viewer, options);
  if (!write_files(viewer, options)) open_window(viewer, options, session.title());
}

bool writes_files(const Options& options) { return !options.csv.empty() || !options.screenshot.empty(); }

// Where the run lies, and why it ended if that was not asked for.
int tell_end(LiveSession& session) {
  session.training().end();
  session.training().wait();
  for (const auto& folder : session.folders()) {
    std::string files;
    for (const auto* const name : {"config.toml", "trace.jsonl", "trace.jsonl.partial", "table.txt", "report.html"}) {
      if (std::filesystem::exists(std::filesystem::path(folder) / name))
        files += (files.empty() ? "" : ", ") + std::string(name);
    }
    fmt::print("{}/: {}\n", folder, files);
  }
  const auto error = session.training().state().error;
  if (error.empty()) return 0;
  fmt::print(stderr, "error: {}\n", error);
  return static_cast<int>(ExitCode::bad_input);
}

// A run in this program. Without a window it is trained to its end, as fast as it goes, before the files are written.
int show_run(const Options& options) {
  auto config = options.run.config();
  const bool files = writes_files(options);
  if (!options.run.given.contains("steps") && !files) config.steps = 0;  // until the window is closed
  std::string why;
  if (!files && !has_display(why)) throw no_display(why);
  LiveSession session(config, files ? 0 : options.pace, files ? [] {} : wake_window);
  if (files) session.training().wait();
  Viewer viewer(session.trace().traces(), session.trace().title());
  show_live(viewer, session);
  set_up(viewer, options);
  viewer.refresh();
  if (!write_files(viewer, options)) open_window(viewer, options, "a run");
  return tell_end(session);
}

int show(const Options& options) {
  panel_named(options.panel);  // before anything is trained for it
  size_of(options.size);
  if (options.traces.empty()) return show_run(options);
  if (!options.run.given.empty() || !options.run.config_file.empty() || !options.run.out.empty()) {
    throw InputError({.what = "a trace, and flags of a run",
                      .where = {},
                      .usually = "a trace is shown as it was written; only a new run can have other settings",
                      .fix = "leave out the trace for a run of your own, or the flags for the trace"});
  }
  show_traces(options);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Shows which tokens went where, and where a step's time went: of traces, or of a run that it trains meanwhile.",
      "./duet view");
  Options options;
  app.add_option("traces", options.traces,
                 "one or two: a run's folder, a trace.jsonl, or - for standard input; none: a run of its own")
      ->expected(0, 2);
  app.add_option("--pace", options.pace, "steps a second of a run of its own; 0: as fast as it goes")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--screenshot", options.screenshot, "write a PNG and open no window");
  app.add_option("--csv", options.csv, "write the panel's data and open no window; /dev/stdout for the terminal");
  std::string names;
  for (const auto& [name, panels] : panel_names()) names += (names.empty() ? "" : ", ") + name;
  app.add_option("--panel", options.panel, names)->option_text("NAME");
  app.add_option("--step", options.step, "the step to begin at; without, the last one that all have")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53));
  app.add_option("--stage", options.stage, "of the flow, from 1")->check(CLI::Range(1, stage_count));
  app.add_option("--layer", options.layer, "the layer in sight, from 0, where there are several")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("--size", options.size, "of the window or picture")->capture_default_str();
  app.add_option("--font-size", options.font_size, "in pixels")->check(CLI::Range(8, 64))->capture_default_str();
  app.add_option("--scale", options.scale, "of everything; 0: as the monitor asks (1 in a picture)")
      ->check(CLI::Range(0.5, 4.0) | CLI::IsMember({0.0}))
      ->capture_default_str();
  app.add_option("--caption", options.caption, "a sentence above the panels: what to look at");
  app.add_option("--select", options.select, "what stands out: rank:1, expert:3, or token:0:17 (token 17 of rank 0)");
  app.add_flag("--dark", options.dark, "light text on dark");
  cli::add_run_flags(app, options.run);
  for (const auto* const flag : {"--json", "--quiet"}) app.remove_option(app.get_option(flag));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return show(options);
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
