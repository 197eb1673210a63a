// ./duet train: one mode, for as long as asked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/describe.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "cli/run_record.h"
#include "cli/screen.h"
#include "cli/text_table.h"
#include "cli/verb_flags.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "trace/modes.h"
#include "train/train_run.h"

namespace duet::cli {

namespace {

struct TrainFlags : VerbFlags {
  std::string mode = "ep";
};

Mode mode_of(const std::string& text) {
  return std::array{Mode::ep, Mode::dp, Mode::single}[parse_choice("mode", text, {"ep", "dp", "single"})];
}

/// What is told at the end.
struct Told {
  std::vector<double> losses;
  std::vector<std::int64_t> tokens_per_expert;
};

std::string summary(const RunConfig& config, Mode mode, const TrainOutcome& outcome, const Told& told) {
  TextTable table;
  table.add({"steps", fmt::to_string(outcome.steps)});
  if (!told.losses.empty()) {
    table.add({"loss, first step", fmt::format("{:.5g}", told.losses.front())});
    table.add({"loss, last step", fmt::format("{:.5g}", told.losses.back())});
    table.add({"between", sparkline(told.losses, 40)});
    table.add({"tokens of each expert, last step", fmt::format("{}", fmt::join(told.tokens_per_expert, ", "))});
  }
  if (config.data.dataset == Dataset::two_functions && outcome.steps > 0) {
    for (std::size_t kind = 0; kind < outcome.kinds_per_expert.size(); ++kind) {
      table.add({fmt::format("tokens of kind {} by expert, last steps", kind),
                 fmt::format("{}", fmt::join(outcome.kinds_per_expert[kind], ", "))});
    }
    table.add({"of each kind, on an expert of its own",
               fmt::format("{:.1f}%", 100 * specialisation(outcome.kinds_per_expert))});
  }
  return fmt::format("{}, mode {}\n\n{}", describe(config), name(mode), table.text());
}

nlohmann::ordered_json json_of(Mode mode, const TrainOutcome& outcome, const Told& told, const RunRecord& record) {
  return {{"mode", name(mode)},
          {"steps", outcome.steps},
          {"loss_first", told.losses.empty() ? 0 : told.losses.front()},
          {"loss_last", told.losses.empty() ? 0 : told.losses.back()},
          {"tokens_per_expert", told.tokens_per_expert},
          {"kinds_per_expert", outcome.kinds_per_expert},
          {"specialisation", specialisation(outcome.kinds_per_expert)},
          {"run", record.folder().string()}};
}

int train(const TrainFlags& flags) {
  const auto config = flags.config();
  const auto mode = mode_of(flags.mode);
  RunRecord record("train", config, /*warm_up=*/0);
  Progress progress(!flags.quiet && !flags.json && is_terminal(2));
  const auto& stop = stop_on_interrupt();
  Told told;
  const auto on_step = [&](const trace::StepRecord& step) {
    told.losses.push_back(step.loss);
    told.tokens_per_expert = trace::tokens_per_expert(step);
    record.write(step);
    progress.update("training", step.step + 1, config.steps, fmt::format("loss {:.5g}", step.loss));
  };
  const auto outcome = run_train(config, mode, {.on_step = on_step, .stop = &stop});
  progress.clear();
  const auto text = summary(config, mode, outcome, told);
  record.finish(stop.load(), text, {});
  if (flags.json) {
    fmt::print("{}\n", json_of(mode, outcome, told, record).dump(2));
  } else {
    fmt::print("{}\n{}/: config.toml, trace.jsonl, table.txt, report.html\n", text, record.folder().string());
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_train(CLI::App& program, int& code) {
  auto* const verb = program.add_subcommand("train", "train one mode for as long as you like");
  const auto flags = std::make_shared<TrainFlags>();
  verb->add_option("--mode", flags->mode, "ep (experts apart), dp (experts repeated) or single (one device)")
      ->capture_default_str()
      ->type_name("");
  add_run_flags(*verb, *flags);
  verb->callback([flags, &code] { code = train(*flags); });
}

}  // namespace duet::cli
