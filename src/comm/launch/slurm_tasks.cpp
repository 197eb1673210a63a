#include "comm/launch/slurm_tasks.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace duet::comm {

namespace {

constexpr int most = std::numeric_limits<int>::max();
constexpr std::uint64_t first_special_step = 0xfffffff0;  // slurm.h: SLURM_INTERACTIVE_STEP 0xfffffffa and its like

// Older Slurm knows the shorter name only. srun sets both to the step's own figure, over what sbatch left in the
// second.
std::string either(const Variables& slurm, const std::string& step, const std::string& older) {
  return slurm.has(step) ? step : older;
}

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Nodes with as many tasks each.
struct AlikeNodes {
  int tasks = 0;
  int nodes = 1;
};

// "2(x3)" or "2" off the beginning of `text`.
std::optional<AlikeNodes> take_alike_nodes(std::string_view& text) {
  const auto tasks = take_number(text);
  if (!tasks) return std::nullopt;
  if (!take(text, "(x")) return AlikeNodes{*tasks, 1};
  const auto nodes = take_number(text);
  if (!nodes || !take(text, ")")) return std::nullopt;
  return AlikeNodes{*tasks, *nodes};
}

// Empty where it is no such list from beginning to end.
std::vector<AlikeNodes> read_list(std::string_view text) {
  std::vector<AlikeNodes> list;
  do {
    const auto alike = take_alike_nodes(text);
    if (!alike) return {};
    list.push_back(*alike);
  } while (take(text, ","));
  if (!text.empty()) list.clear();
  return list;
}

}  // namespace

bool is_slurm_step(const Variables& slurm) {
  const auto step = slurm.text("SLURM_STEP_ID");
  if (step.empty()) return false;
  if (step.find_first_not_of("0123456789") != std::string::npos || step.size() > 10) {
    slurm.number("SLURM_STEP_ID", 0, most);  // throws
  }
  return std::stoull(step) < first_special_step;
}

SlurmTask read_slurm_step(const Variables& slurm) {
  const auto tasks_name = either(slurm, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS");
  const auto per_node_name = either(slurm, "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE");
  slurm.need({"SLURM_PROCID", tasks_name, "SLURM_LOCALID"});
  SlurmTask task;
  task.tasks = slurm.number(tasks_name, 1, most);
  task.task = slurm.place("SLURM_PROCID", task.tasks, tasks_name);
  if (task.tasks > 1) {
    slurm.need({"SLURM_NODEID", per_node_name});
    task.local_tasks = slurm_tasks_on_node(slurm.text(per_node_name), slurm.number("SLURM_NODEID", 0, most));
  }
  task.local_task = slurm.place("SLURM_LOCALID", task.local_tasks, per_node_name);
  return task;
}

int slurm_tasks_on_node(const std::string& tasks_per_node, int node) {
  std::int64_t before = 0;
  for (const auto& alike : read_list(tasks_per_node)) {
    before += alike.nodes;
    if (node < before && alike.tasks > 0) return alike.tasks;
  }
  throw InputError({.what = fmt::format("SLURM_STEP_TASKS_PER_NODE={} names no tasks of node {}", tasks_per_node, node),
                    .where = "the environment, as srun sets it",
                    .usually = "it was set by hand, or is left from another job",
                    .fix = "start it by srun directly"});
}

}  // namespace duet::comm
