#include "cli/compare_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/balance_table.h"
#include "cli/describe.h"
#include "cli/text_table.h"
#include "trace/breakdown.h"
#include "train/ranks.h"

namespace duet::cli {

namespace {

using Cells = std::vector<std::string>;

template <typename Cell>
Cells row(std::string label, const CompareResult& result, Cell cell) {
  return {std::move(label), cell(result.ep), cell(result.dp), cell(result.single)};
}

void add_times(TextTable& table, const CompareResult& result) {
  table.add({"step time of the slowest rank, us"});
  table.add(row("  median", result, [](const ModeSummary& m) { return grouped(m.breakdown.step_us.median); }));
  table.add(row("  p10 to p90", result, [](const ModeSummary& m) {
    return fmt::format("{} to {}", grouped(m.breakdown.step_us.p10), grouped(m.breakdown.step_us.p90));
  }));
  table.add(row("  min", result, [](const ModeSummary& m) { return grouped(m.breakdown.step_us.min); }));
  const double ep = result.ep.breakdown.step_us.median;
  table.add(row("  median / expert parallel", result, [ep](const ModeSummary& m) {
    return ep > 0 ? fmt::format("{:.2f}", m.breakdown.step_us.median / ep) : "-";
  }));
}

const trace::PhaseRow* find(const ModeSummary& mode, const trace::PhaseKey& key) {
  const auto& rows = mode.breakdown.rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const trace::PhaseRow& r) { return r.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

using Part = trace::Spread trace::PhaseRow::*;

Cells phase_row(std::string label, const CompareResult& result, const trace::PhaseKey& key, Part part) {
  return row(std::move(label), result, [&](const ModeSummary& mode) {
    const auto* const found = find(mode, key);
    return found == nullptr ? std::string("-") : grouped((found->*part).median);
  });
}

void add_phases(TextTable& table, const CompareResult& result) {
  table.add({result.waits_told
                 ? "its phases, us (medians; communication is cut into waiting for the latest peer, and transfer)"
                 : "its phases, us (medians; communication has its waiting in it: here they cannot be told apart)"});
  for (const auto& key : trace::phase_order()) {
    bool present = false, communicates = false;
    for (const auto* mode : {&result.ep, &result.dp, &result.single}) {
      const auto* const found = find(*mode, key);
      present = present || found != nullptr;
      communicates = communicates || (found != nullptr && found->wait_us.mean + found->transfer_us.mean > 0);
    }
    if (!present) continue;
    table.add(phase_row("  " + trace::label(key), result, key, &trace::PhaseRow::work_us));
    if (!communicates) continue;
    if (result.waits_told) table.add(phase_row("    wait", result, key, &trace::PhaseRow::wait_us));
    table.add(phase_row(result.waits_told ? "    transfer" : "    communication", result, key,
                        &trace::PhaseRow::transfer_us));
  }
}

void add_sizes(TextTable& table, const CompareResult& result) {
  table.add({"bytes that a rank sends in a step (a mean over ranks; all-reduces are modelled as rings)"});
  table.add(row("  measured", result, [](const ModeSummary& m) { return grouped(m.bytes.measured, 0); }));
  table.add(row("  by formula", result, [](const ModeSummary& m) { return grouped(m.bytes.formula, 0); }));
  table.add({"bytes that a rank holds"});
  table.add(row("  parameters", result,
                [](const ModeSummary& m) { return grouped(static_cast<double>(m.parameter_bytes), 0); }));
  table.add(row("  optimizer", result,
                [](const ModeSummary& m) { return grouped(static_cast<double>(m.optimizer_bytes), 0); }));
}

void add_losses(TextTable& table, const CompareResult& result) {
  table.add({"loss (mean squared error over the global batch)"});
  table.add(row("  first step", result, [](const ModeSummary& m) { return fmt::format("{:.5g}", m.loss_first()); }));
  table.add(row("  last step", result, [](const ModeSummary& m) { return fmt::format("{:.5g}", m.loss_last()); }));
  table.add(row("  between", result, [](const ModeSummary& m) { return sparkline(m.losses); }));
}

std::string proof(const CompareResult& result) {
  const std::string indent(16, ' ');
  const auto& exact = result.difference_f64;
  std::string text = fmt::format(
      "parameters against one device, largest |a - b| / max|b| of a tensor\n"
      "  in float64    EP {:.1e}, DP {:.1e} after {} steps (equal means at most {:.0e}): {}\n",
      exact.ep, exact.dp, result.check_steps, equality_tolerance, result.equal ? "equal" : "NOT EQUAL");
  if (result.check_shortened) text += indent + "on the first 4,096 tokens of each shard\n";
  if (exact.first) text += indent + describe(*exact.first) + "\n";
  const auto& run = result.difference;
  text +=
      fmt::format("  in {}    EP {:.1e}, DP {:.1e} after {} steps{}\n", result.config.float64 ? "float64" : "float32",
                  run.ep, run.dp, result.steps, run.first ? "" : "; every token took the same way");
  if (run.first) text += indent + describe(*run.first) + "\n";
  return text;
}

}  // namespace

std::string describe(const RouteDifference& difference) {
  return fmt::format("first other routing decision: step {}, token {}, {} chose {}, one device {}", difference.step,
                     difference.token, difference.mode == Mode::ep ? "EP" : "DP", fmt::join(difference.expert, "+"),
                     fmt::join(difference.single_expert, "+"));
}

std::string compare_table(const CompareResult& result) {
  const auto ranks = result.config.layout.ranks;
  const auto ranks_text = fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
  TextTable table;
  table.add({"", "expert parallel", "data parallel", "one device"});
  const auto mesh = layout_of(result.config, Mode::ep).mesh;
  const bool hybrid = mesh.dp > 1 && mesh.ep > 1;
  table.add({"", hybrid ? fmt::format("{} groups of {} ranks", mesh.dp, mesh.ep) : ranks_text, ranks_text,
             "the whole batch"});
  add_times(table, result);
  add_phases(table, result);
  add_sizes(table, result);
  add_losses(table, result);
  return fmt::format(
      "{}\n{} steps, the first {} not timed\n\n{}{}\n{}{}", describe(result.config), result.steps, result.warm_up,
      table.text(),
      wrapped(fmt::format("tokens of each expert in the last step: {} (std {:.1f}); dropped: {:.1f}% of all",
                          fmt::join(result.tokens_per_expert, ", "), result.std_tokens_per_expert,
                          100 * result.dropped_share)),
      balance_text(result.balance), proof(result));
}

}  // namespace duet::cli
