#include "comm/launch/slurm_tasks.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <regex>

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
  static const std::regex list(R"(\d{1,9}(\(x\d{1,9}\))?(,\d{1,9}(\(x\d{1,9}\))?)*)");
  static const std::regex part(R"((\d+)(\(x(\d+)\))?)");
  if (std::regex_match(tasks_per_node, list)) {
    std::int64_t before = 0;
    for (std::sregex_iterator it(tasks_per_node.begin(), tasks_per_node.end(), part), end; it != end; ++it) {
      before += (*it)[3].matched ? std::stoi((*it)[3]) : 1;
      if (node < before && std::stoi((*it)[1]) > 0) return std::stoi((*it)[1]);
    }
  }
  throw InputError({.what = fmt::format("SLURM_STEP_TASKS_PER_NODE={} names no tasks of node {}", tasks_per_node, node),
                    .where = "the environment, as srun sets it",
                    .usually = "it was set by hand, or is left from another job",
                    .fix = "start it by srun directly"});
}

}  // namespace duet::comm
