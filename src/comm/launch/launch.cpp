#include "comm/launch/launch.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>

#include "comm/launch/slurm_tasks.h"
#include "core/error.h"

namespace duet::comm {

namespace {

constexpr int most = std::numeric_limits<int>::max();

Variables torchrun_of(const Environment& environment) { return {environment, "torchrun"}; }
Variables slurm_of(const Environment& environment) { return {environment, "srun"}; }
Variables open_mpi_of(const Environment& environment) { return {environment, "mpirun"}; }

// WORLD_SIZE alone is no sign: scripts for srun export it beside MASTER_ADDR.
bool names_a_torchrun_rank(const Variables& torchrun) {
  return torchrun.has("RANK") || torchrun.has("LOCAL_RANK") || torchrun.has("TORCHELASTIC_RUN_ID");
}

bool names_an_open_mpi_rank(const Variables& open_mpi) {
  return open_mpi.has("OMPI_COMM_WORLD_RANK") || open_mpi.has("OMPI_COMM_WORLD_SIZE");
}

// Both or neither. Without a launcher they do not matter, as nobody else will come.
void read_store(const Variables& variables, Launch& launch) {
  if (!variables.has("MASTER_ADDR") && !variables.has("MASTER_PORT")) return;
  variables.need({"MASTER_ADDR", "MASTER_PORT"});
  launch.store_host = variables.text("MASTER_ADDR");
  launch.store_port = variables.number("MASTER_PORT", 1, 65535);
}

bool read_agent_store(const Variables& torchrun) {
  const auto text = torchrun.text("TORCHELASTIC_USE_AGENT_STORE");
  if (text == "True" || text == "False" || text.empty()) return text == "True";
  throw InputError({.what = fmt::format("TORCHELASTIC_USE_AGENT_STORE={} is neither True nor False", text),
                    .where = "the environment, as torchrun sets it",
                    .usually = "it was set by hand",
                    .fix = "unset it, and rank 0 is the store's host"});
}

// The four figures that every launcher gives, under its own names.
struct Names {
  std::string rank, world_size, local_rank, local_world_size;
};

Launch read_places(const Variables& variables, Launcher launcher, const Names& names) {
  Launch launch{.launcher = launcher};
  launch.world_size = variables.number(names.world_size, 1, most);
  launch.rank = variables.place(names.rank, launch.world_size, names.world_size);
  launch.local_world_size = variables.number(names.local_world_size, 1, launch.world_size);
  launch.local_rank = variables.place(names.local_rank, launch.local_world_size, names.local_world_size);
  return launch;
}

Launch read_torchrun(const Variables& torchrun) {
  torchrun.need({"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"});
  auto launch = read_places(torchrun, Launcher::torchrun, {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
  read_store(torchrun, launch);
  launch.agent_store = read_agent_store(torchrun);
  if (torchrun.has("TORCHELASTIC_RESTART_COUNT")) {
    launch.attempt = torchrun.number("TORCHELASTIC_RESTART_COUNT", 0, most);
  }
  return launch;
}

Launch read_open_mpi(const Variables& open_mpi) {
  const Names names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                    "OMPI_COMM_WORLD_LOCAL_SIZE"};
  open_mpi.need({names.rank, names.world_size, names.local_rank, names.local_world_size});
  auto launch = read_places(open_mpi, Launcher::open_mpi, names);
  read_store(open_mpi, launch);
  return launch;
}

Launch read_slurm(const Variables& slurm) {
  const auto tasks = read_slurm_step(slurm);
  Launch launch{.launcher = Launcher::slurm,
                .rank = tasks.task,
                .world_size = tasks.tasks,
                .local_rank = tasks.local_task,
                .local_world_size = tasks.local_tasks};
  read_store(slurm, launch);
  return launch;
}

[[noreturn]] void throw_two_launchers(const std::string& outer, const std::string& inner, const std::string& usually) {
  throw InputError({.what = fmt::format("two launchers at once: {}, and {}", outer, inner),
                    .where = "the environment",
                    .usually = usually,
                    .fix = "start it by one of them only; or unset the variables of the one that is not meant"});
}

std::string told(const Launch& launch) {
  return fmt::format("{} says rank {} of {}", name(launch.launcher), launch.rank, launch.world_size);
}

// A launcher outside torchrun is ordinary when it started torchrun's agents, one a node; or when someone copied its
// figures into torchrun's variables.
void check_outside_torchrun(const Variables& torchrun, const Launch& inner, const Launch& outer) {
  const bool copied = outer.rank == inner.rank && outer.world_size == inner.world_size;
  if (!torchrun.has("TORCHELASTIC_RUN_ID")) {
    if (copied) return;
    throw_two_launchers(told(outer), "RANK and WORLD_SIZE say " + fmt::format("{} of {}", inner.rank, inner.world_size),
                        "a shell or script still has RANK and WORLD_SIZE from an earlier run");
  }
  const int agents = torchrun.has("GROUP_WORLD_SIZE") ? torchrun.number("GROUP_WORLD_SIZE", 1, most) : 1;
  if (outer.world_size == agents) return;
  throw_two_launchers(told(outer), told(inner),
                      fmt::format("{} started {} torchruns, each of which takes itself for one of {}; one a node with "
                                  "--nnodes and one --rdzv-endpoint, or no torchrun at all",
                                  name(outer.launcher), outer.world_size, agents));
}

// Scripts for srun and mpirun export WORLD_SIZE; it must not be another run's.
void check_world_size(const Variables& torchrun, const Launch& launch) {
  if (!torchrun.has("WORLD_SIZE")) return;
  const int world_size = torchrun.number("WORLD_SIZE", 1, most);
  if (world_size == launch.world_size) return;
  throw_two_launchers(told(launch), fmt::format("WORLD_SIZE={}", world_size),
                      "WORLD_SIZE is left from another run, or the script asks for another number of tasks");
}

}  // namespace

const char* name(Launcher launcher) {
  constexpr std::array<const char*, 4> names{"no launcher", "torchrun", "Slurm", "Open MPI"};
  return names[static_cast<std::size_t>(launcher)];
}

Launch read_launch(const Environment& environment) {
  const auto torchrun = torchrun_of(environment);
  const auto open_mpi = open_mpi_of(environment);
  const auto slurm = slurm_of(environment);
  Launch launch;
  if (is_slurm_step(slurm)) {
    launch = read_slurm(slurm);
    if (launch.world_size == 1) launch = {};
  }
  if (names_an_open_mpi_rank(open_mpi)) {
    const auto inner = read_open_mpi(open_mpi);
    if (launch.launcher == Launcher::slurm && launch.local_world_size > 1) {
      throw_two_launchers(told(launch), told(inner),
                          "srun started several mpiruns (srun mpirun ...), or mpirun started an srun");
    }
    launch = inner;
  }
  if (names_a_torchrun_rank(torchrun)) {
    const auto inner = read_torchrun(torchrun);
    if (launch.launcher != Launcher::none) check_outside_torchrun(torchrun, inner, launch);
    return inner;
  }
  if (launch.launcher != Launcher::none) {
    check_world_size(torchrun, launch);
  } else if (torchrun.has("WORLD_SIZE") && torchrun.number("WORLD_SIZE", 1, most) > 1) {
    torchrun.need({"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"});
  }
  return launch;
}

void check_ranks(const Launch& launch, int asked) {
  if (launch.launcher == Launcher::none || asked == launch.world_size) return;
  throw InputError({.what = fmt::format("--ranks {}, but {} started {} process{}", asked, name(launch.launcher),
                                        launch.world_size, launch.world_size == 1 ? "" : "es"),
                    .where = told(launch),
                    .usually = "the two numbers were typed apart; under a launcher each process is one rank",
                    .fix = fmt::format("leave --ranks out, or start {} processes", asked)});
}

}  // namespace duet::comm
