// ./duet train: one mode, for as long as asked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/balance_table.h"
#include "cli/config_file.h"
#include "cli/describe.h"
#include "cli/interrupt.h"
#include "cli/processes.h"
#include "cli/run_folder.h"
#include "cli/run_record.h"
#include "cli/screen.h"
#include "cli/take_gpus.h"
#include "cli/text_table.h"
#include "cli/train_start.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "trace/modes.h"
#include "train/checkpoint_folder.h"
#include "train/train_run.h"

namespace duet::cli {

namespace {

/// What is told at the end.
struct Told {
  std::vector<double> losses;
  std::vector<trace::Balance> balance;  ///< of the last step, a layer each
  std::filesystem::path checkpoint;     ///< the last one; empty: none
};

std::string summary(const TrainStart& start, const TrainOutcome& outcome, const Told& told) {
  const auto& config = start.config;
  TextTable table;
  const auto first = start.state ? start.state->step : 0;
  table.add({"steps", fmt::to_string(outcome.steps)});
  if (start.state) table.add({"resumed after step", fmt::to_string(first)});
  if (!told.losses.empty()) {
    table.add({"loss, first step", fmt::format("{:.5g}", told.losses.front())});
    table.add({"loss, last step", fmt::format("{:.5g}", told.losses.back())});
    table.add({"between", sparkline(told.losses, 40)});
    if (!told.balance.empty()) {
      const auto& tokens = told.balance.front().tokens_per_expert;
      table.add({"tokens of each expert, last step", fmt::format("{}", fmt::join(tokens, ", "))});
    }
  }
  if (config.data.dataset == Dataset::two_functions && outcome.steps > first) {
    for (std::size_t kind = 0; kind < outcome.kinds_per_expert.size(); ++kind) {
      table.add({fmt::format("tokens of kind {} by expert, last steps", kind),
                 fmt::format("{}", fmt::join(outcome.kinds_per_expert[kind], ", "))});
    }
    table.add({"of each kind, on an expert of its own",
               fmt::format("{:.1f}%", 100 * specialisation(outcome.kinds_per_expert))});
  }
  return fmt::format("{}, mode {}\n\n{}", describe(config), name(start.mode),
                     table.text() + balance_text(told.balance));
}

nlohmann::ordered_json json_of(const TrainStart& start, const TrainOutcome& outcome, const Told& told,
                               const RunRecord& record) {
  auto layers = nlohmann::ordered_json::array();
  for (const auto& layer : told.balance) layers.push_back(balance_json(layer));
  nlohmann::ordered_json json{{"mode", name(start.mode)},
                              {"steps", outcome.steps},
                              {"loss_first", told.losses.empty() ? 0 : told.losses.front()},
                              {"loss_last", told.losses.empty() ? 0 : told.losses.back()},
                              {"tokens_per_expert", told.balance.empty() ? std::vector<std::int64_t>()
                                                                         : told.balance.front().tokens_per_expert},
                              {"layers", layers},
                              {"kinds_per_expert", outcome.kinds_per_expert},
                              {"specialisation", specialisation(outcome.kinds_per_expert)},
                              {"run", record.folder().string()},
                              {"checkpoint", nullptr},
                              {"resumed_from_step", nullptr}};
  if (!told.checkpoint.empty()) json["checkpoint"] = told.checkpoint.string();
  if (start.resumed) json["resumed_from_step"] = start.state ? start.state->step : 0;
  return json;
}

// What the earlier run told, as far as this one goes on from there.
Told told_before(const TrainStart& start) {
  Told told{.losses = {}, .balance = {}, .checkpoint = start.checkpoint};
  for (const auto& step : start.before) told.losses.push_back(step.loss);
  if (!start.before.empty()) told.balance = trace::balances_of(start.before.back());
  const bool lost = start.state && (start.before.empty() || start.before.back().step + 1 < start.state->step);
  if (lost) told.losses.push_back(start.state->loss);
  return told;
}

std::unique_ptr<RunRecord> make_record(const TrainFlags& flags, const TrainStart& start) {
  if (!start.resumed) return std::make_unique<RunRecord>("train", start.config, /*warm_up=*/0, name(start.mode));
  const auto folder = flags.out.empty() ? std::filesystem::path(flags.resume) : make_run_folder("train", flags.out);
  const EarlierRun earlier{.folder = folder, .before = start.before, .keep_trace = start.trace_unread};
  return std::make_unique<RunRecord>("train", start.config, earlier, name(start.mode));
}

int start_processes(const TrainFlags& flags, RunConfig config) {
  const bool in_place = !flags.resume.empty() && flags.out.empty();
  const auto folder = in_place ? std::filesystem::path(flags.resume) : make_run_folder("train", flags.out);
  if (in_place) config.out = flags.resume;  // the ranks find it by --resume, as this process did
  return run_as_processes(config, folder);
}

// On a rank that is a process of its own and not rank 0: it takes part, and writes and tells nothing.
int accompany(const TrainStart& start) {
  run_train(start.config, start.mode,
            {.on_step = {}, .stop = &stop_on_interrupt(), .on_checkpoint = [](const TrainState& /*rank 0's*/) {}},
            start.state ? &*start.state : nullptr);
  return static_cast<int>(ExitCode::done);
}

int train(const TrainFlags& flags) {
  const auto start = train_start(flags);
  auto config = start.config;
  if (starts_processes(config)) return start_processes(flags, config);
  const auto gpus = take_gpus(config);
  if (!has_rank_zero(config)) return accompany(start);
  const auto record = make_record(flags, start);
  config.folder = record->folder();
  Progress progress(!flags.quiet && !flags.json && is_terminal(2));
  const auto& stop = stop_on_interrupt();
  auto told = told_before(start);
  const auto on_step = [&](const trace::StepRecord& step) {
    told.losses.push_back(step.loss);
    told.balance = trace::balances_of(step);
    record->write(step);
    progress.update("training", step.step + 1, config.steps, fmt::format("loss {:.5g}", step.loss));
  };
  auto info = checkpoint_info(config, start.mode);
  info.config = config_text(config);
  const auto checkpoints = record->folder() / "checkpoints";
  const auto on_checkpoint = [&](const TrainState& state) {
    save_checkpoint(checkpoints, state, info, config.keep_checkpoints);
    told.checkpoint = checkpoint_path(checkpoints, state.step);
  };
  const auto outcome =
      run_train(config, start.mode, {.on_step = on_step, .stop = &stop, .on_checkpoint = on_checkpoint},
                start.state ? &*start.state : nullptr);
  progress.clear();
  const auto text = summary(start, outcome, told);
  record->finish(stop.load(), text, {});
  if (flags.json) {
    fmt::print("{}\n", json_of(start, outcome, told, *record).dump(2));
  } else {
    fmt::print("{}\n{}/: config.toml, trace.jsonl, table.txt, report.html, checkpoints\n", text,
               record->folder().string());
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_train(CLI::App& program, int& code) {
  auto* const verb = program.add_subcommand("train", "train one mode for as long as you like");
  const auto flags = std::make_shared<TrainFlags>();
  verb->add_option("--mode", flags->mode, "ep (experts apart), dp (experts repeated) or single (one device)")
      ->default_str("ep")
      ->type_name("");
  verb->add_option("--resume", flags->resume,
                   "go on with this run from its newest checkpoint; flags may change its "
                   "layout, and --steps is its length in all")
      ->type_name("RUN");
  add_run_flags(*verb, *flags);
  verb->callback([flags, &code] { code = train(*flags); });
}

}  // namespace duet::cli
