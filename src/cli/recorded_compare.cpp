#include "cli/recorded_compare.h"

#include <algorithm>
#include <thread>

#include "cli/compare_table.h"
#include "cli/conclusions.h"
#include "cli/interrupt.h"
#include "cli/run_record.h"
#include "cli/text_table.h"

namespace duet::cli {

RecordedCompare recorded_compare(RunConfig config, const std::string& label, Progress& progress) {
  const CompareOptions options;
  RunRecord record("compare", config, std::min(options.warm_up, config.steps / 2));
  config.folder = record.folder();
  const auto& stop = stop_on_interrupt();
  const auto on_progress = [&](std::string_view what, std::int64_t done, std::int64_t total) {
    progress.update(label.empty() ? std::string(what) : label + ", " + std::string(what), done, total);
  };
  auto result = run_compare(config, options,
                            {.on_step = [&](const trace::StepRecord& step) { record.write(step); },
                             .on_progress = on_progress,
                             .stop = &stop});
  progress.clear();

  auto sentences = conclusions(result, std::thread::hardware_concurrency());
  auto table = compare_table(result) + "\n";
  for (const auto& sentence : sentences) table += wrapped(sentence) + "\n";
  record.finish(stop.load(), table, sentences);
  return {.result = std::move(result),
          .sentences = std::move(sentences),
          .table = std::move(table),
          .folder = record.folder()};
}

void accompany_compare(const RunConfig& config) {
  run_compare(config, {}, {.on_step = {}, .on_progress = {}, .stop = &stop_on_interrupt()});
}

}  // namespace duet::cli
