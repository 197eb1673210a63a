// Who am I: what each launcher leaves in the environment, whole, half, wrong, and two at once.
#include "comm/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "comm/launch/slurm_tasks.h"
#include "core/error.h"

namespace duet::comm {

namespace {

using testing::AllOf;
using testing::HasSubstr;
using Map = std::map<std::string, std::string>;

Environment from(Map map) {
  return [map = std::move(map)](const std::string& name) -> std::optional<std::string> {
    const auto found = map.find(name);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  };
}

Launch read(const Map& map) { return read_launch(from(map)); }

std::string error_of(const Map& map) {
  try {
    read(map);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Map operator+(Map map, const Map& more) {
  for (const auto& [name, value] : more) map[name] = value;
  return map;
}
Map operator-(Map map, const std::string& name) {
  map.erase(name);
  return map;
}

// As torchrun 2.11 sets them on the second of two nodes with two ranks each.
const Map& torchrun() {
  static const Map map{{"RANK", "3"},
                       {"WORLD_SIZE", "4"},
                       {"LOCAL_RANK", "1"},
                       {"LOCAL_WORLD_SIZE", "2"},
                       {"GROUP_RANK", "1"},
                       {"GROUP_WORLD_SIZE", "2"},
                       {"MASTER_ADDR", "node1"},
                       {"MASTER_PORT", "29400"},
                       {"TORCHELASTIC_RUN_ID", "none"},
                       {"TORCHELASTIC_RESTART_COUNT", "2"},
                       {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
  return map;
}

// As srun sets them for task 4 of 5 on three nodes, the third with one task.
const Map& slurm() {
  static const Map map{{"SLURM_JOB_ID", "17"},        {"SLURM_STEP_ID", "0"},
                       {"SLURM_PROCID", "3"},         {"SLURM_NTASKS", "5"},
                       {"SLURM_STEP_NUM_TASKS", "5"}, {"SLURM_LOCALID", "1"},
                       {"SLURM_NODEID", "1"},         {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}};
  return map;
}

const Map& open_mpi() {
  static const Map map{{"OMPI_COMM_WORLD_RANK", "1"},
                       {"OMPI_COMM_WORLD_SIZE", "4"},
                       {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                       {"PMIX_RANK", "1"},
                       {"PMIX_NAMESPACE", "prterun-1"}};
  return map;
}

const Map master{{"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};

TEST(ReadLaunch, NothingIsOneRankAlone) {
  const auto launch = read({});
  EXPECT_EQ(launch.launcher, Launcher::none);
  EXPECT_EQ(launch.rank, 0);
  EXPECT_EQ(launch.world_size, 1);
  EXPECT_EQ(launch.store_host, "");
}

TEST(ReadLaunch, TorchrunTellsAll) {
  const auto launch = read(torchrun());
  EXPECT_EQ(launch.launcher, Launcher::torchrun);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.world_size, 4);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_world_size, 2);
  EXPECT_EQ(launch.store_host, "node1");
  EXPECT_EQ(launch.store_port, 29400);
  EXPECT_TRUE(launch.agent_store);
  EXPECT_EQ(launch.attempt, 2);
}

TEST(ReadLaunch, RanksSetByHandAreTorchrunsWithoutAnAgent) {
  Map map = torchrun();
  for (const auto* name : {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_USE_AGENT_STORE",
                           "GROUP_RANK", "GROUP_WORLD_SIZE"}) {
    map.erase(name);
  }
  const auto launch = read(map);
  EXPECT_EQ(launch.launcher, Launcher::torchrun);
  EXPECT_FALSE(launch.agent_store);
  EXPECT_EQ(launch.attempt, 0);
}

TEST(ReadLaunch, SlurmTellsAll) {
  const auto launch = read(slurm() + master);
  EXPECT_EQ(launch.launcher, Launcher::slurm);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.world_size, 5);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_world_size, 2);
  EXPECT_EQ(launch.store_host, "node1");
  EXPECT_EQ(launch.store_port, 29500);
}

TEST(ReadLaunch, OlderSlurmHasTheShorterNames) {
  auto map = slurm() - "SLURM_STEP_NUM_TASKS" - "SLURM_STEP_TASKS_PER_NODE";
  map["SLURM_TASKS_PER_NODE"] = "2(x2),1";
  EXPECT_EQ(read(map).world_size, 5);
  EXPECT_EQ(read(map).local_world_size, 2);
}

TEST(ReadLaunch, TheStepsOwnTasksCountNotTheJobs) {
  EXPECT_EQ(read(slurm() + Map{{"SLURM_NTASKS", "8"}, {"SLURM_TASKS_PER_NODE", "8"}}).world_size, 5);
}

TEST(ReadLaunch, OpenMpiTellsAll) {
  const auto launch = read(open_mpi());
  EXPECT_EQ(launch.launcher, Launcher::open_mpi);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.world_size, 4);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_world_size, 4);
  EXPECT_EQ(launch.store_host, "");
  EXPECT_EQ(read(open_mpi() + master).store_port, 29500);
}

TEST(HalfSets, NameEveryVariableThatIsMissing) {
  for (const auto* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    EXPECT_THAT(error_of(torchrun() - name),
                AllOf(HasSubstr(std::string(": ") + name + " is missing"), HasSubstr("sudo")));
  }
  EXPECT_THAT(error_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}),
              HasSubstr("LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT are missing"));
  EXPECT_THAT(error_of({{"WORLD_SIZE", "2"}}), HasSubstr("RANK, LOCAL_RANK"));
  for (const auto* name : {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"}) {
    EXPECT_THAT(error_of(slurm() - name), HasSubstr(std::string(": ") + name + " is missing"));
  }
  EXPECT_THAT(error_of(slurm() - "SLURM_STEP_NUM_TASKS" - "SLURM_NTASKS"), HasSubstr("SLURM_NTASKS is missing"));
  EXPECT_THAT(error_of(slurm() - "SLURM_STEP_TASKS_PER_NODE"), HasSubstr("SLURM_TASKS_PER_NODE is missing"));
  for (const auto& [name, value] : open_mpi()) {
    if (name.starts_with("OMPI")) {
      EXPECT_THAT(error_of(open_mpi() - name), HasSubstr(": " + name + " is missing"));
    }
  }
}

TEST(HalfSets, AStoreNeedsHostAndPort) {
  EXPECT_THAT(error_of(open_mpi() + Map{{"MASTER_ADDR", "node1"}}), HasSubstr("MASTER_PORT is missing"));
  EXPECT_THAT(error_of(slurm() + Map{{"MASTER_PORT", "29500"}}), HasSubstr("MASTER_ADDR is missing"));
}

TEST(HalfSets, AnEmptyVariableIsMissingAndSaidToBeEmpty) {
  EXPECT_THAT(error_of(torchrun() + Map{{"LOCAL_RANK", ""}}), HasSubstr("LOCAL_RANK (it is empty) is missing"));
  EXPECT_EQ(read({{"RANK", ""}, {"WORLD_SIZE", ""}, {"SLURM_STEP_ID", ""}}).launcher, Launcher::none);
}

TEST(WrongValues, NameTheVariableAndWhatItTakes) {
  for (const auto& [name, value] : Map{{"RANK", "one"},
                                       {"WORLD_SIZE", "0"},
                                       {"LOCAL_RANK", "-1"},
                                       {"MASTER_PORT", "0"},
                                       {"LOCAL_WORLD_SIZE", "5"},
                                       {"TORCHELASTIC_RESTART_COUNT", "x"}}) {
    EXPECT_THAT(error_of(torchrun() + Map{{name, value}}), HasSubstr(name + "=" + value + " is no whole number from"));
  }
  for (const auto* value : {"70000", "29500 ", " 29500", "0x7000", "1e4", "99999999999999999999"}) {
    EXPECT_THAT(error_of(torchrun() + Map{{"MASTER_PORT", value}}), HasSubstr("from 1 to 65535"));
  }
  EXPECT_THAT(error_of(torchrun() + Map{{"TORCHELASTIC_USE_AGENT_STORE", "yes"}}), HasSubstr("neither True nor False"));
  EXPECT_THAT(error_of(slurm() + Map{{"SLURM_STEP_ID", "batch"}}), HasSubstr("SLURM_STEP_ID=batch"));
}

TEST(WrongValues, ARankMustBeBelowTheSize) {
  EXPECT_THAT(error_of(torchrun() + Map{{"RANK", "4"}}), AllOf(HasSubstr("RANK=4"), HasSubstr("WORLD_SIZE=4")));
  EXPECT_THAT(error_of(torchrun() + Map{{"LOCAL_RANK", "2"}}), HasSubstr("LOCAL_WORLD_SIZE=2"));
  EXPECT_THAT(error_of(slurm() + Map{{"SLURM_PROCID", "5"}}), HasSubstr("SLURM_STEP_NUM_TASKS=5"));
  EXPECT_THAT(error_of(open_mpi() + Map{{"OMPI_COMM_WORLD_LOCAL_RANK", "4"}}), HasSubstr("OMPI_COMM_WORLD_LOCAL_SIZE"));
}

// What a batch script, an salloc's shell and the steps that Slurm makes for itself have in their environment.
TEST(Slurm, AJobWithoutSrunIsNoLaunch) {
  const Map job{{"SLURM_JOB_ID", "17"},
                {"SLURM_NTASKS", "4"},
                {"SLURM_PROCID", "0"},
                {"SLURM_LOCALID", "0"},
                {"SLURM_NODEID", "0"}};
  EXPECT_EQ(read(job).launcher, Launcher::none);
  for (const auto* step : {"4294967291", "4294967290", "4294967292"}) {
    EXPECT_EQ(read(job + Map{{"SLURM_STEP_ID", step}}).launcher, Launcher::none) << step;
  }
  EXPECT_EQ(read(job + torchrun()).launcher, Launcher::torchrun);
  EXPECT_EQ(read(job + open_mpi()).launcher, Launcher::open_mpi);
}

TEST(Slurm, AStepOfOneTaskIsAShell) {
  const Map shell{{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_LOCALID", "0"}};
  EXPECT_EQ(read(shell).launcher, Launcher::none);
  EXPECT_EQ(read(shell + torchrun()).launcher, Launcher::torchrun);
  EXPECT_EQ(read(shell + open_mpi()).launcher, Launcher::open_mpi);
}

TEST(Slurm, PmixTellsMpiAlone) {
  EXPECT_EQ(read(slurm() + Map{{"PMIX_RANK", "3"}, {"PMI_RANK", "3"}, {"PMI_SIZE", "5"}}).launcher, Launcher::slurm);
}

TEST(Slurm, TasksOfANodeAreReadFromTheShortForm) {
  EXPECT_EQ(slurm_tasks_on_node("4", 0), 4);
  EXPECT_EQ(slurm_tasks_on_node("2(x3),1", 2), 2);
  EXPECT_EQ(slurm_tasks_on_node("2(x3),1", 3), 1);
  EXPECT_EQ(slurm_tasks_on_node("1,12(x2),3", 2), 12);
  for (const auto* wrong : {"", "2(x3)", "x", "2,", "2(3)", "-1", "0"}) {
    EXPECT_THROW(slurm_tasks_on_node(wrong, wrong == std::string("2(x3)") ? 3 : 0), InputError) << wrong;
  }
}

TEST(TwoLaunchers, TorchrunUnderSrunIsTorchrunWhenThereIsOneANode) {
  const Map two_nodes = slurm() + Map{{"SLURM_STEP_NUM_TASKS", "2"},
                                      {"SLURM_PROCID", "1"},
                                      {"SLURM_LOCALID", "0"},
                                      {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"}};
  EXPECT_EQ(read(two_nodes + torchrun()).launcher, Launcher::torchrun);
  const Map alone{{"GROUP_WORLD_SIZE", "1"}};
  EXPECT_THAT(error_of(two_nodes + torchrun() + alone),
              AllOf(HasSubstr("two launchers at once"), HasSubstr("Slurm says rank 1 of 2"),
                    HasSubstr("torchrun says rank 3 of 4")));
}

TEST(TwoLaunchers, TorchrunAndOpenMpiAreBothNamed) {
  EXPECT_THAT(error_of(torchrun() + open_mpi()),
              AllOf(HasSubstr("two launchers at once"), HasSubstr("Open MPI says rank 1 of 4"), HasSubstr("torchrun")));
}

TEST(TwoLaunchers, OpenMpisDaemonsAreSlurmTasksOneANode) {
  const Map daemon = slurm() + Map{{"SLURM_STEP_TASKS_PER_NODE", "1(x5)"}, {"SLURM_LOCALID", "0"}};
  EXPECT_EQ(read(daemon + open_mpi()).launcher, Launcher::open_mpi);
  EXPECT_THAT(error_of(slurm() + open_mpi()),
              AllOf(HasSubstr("Slurm says rank 3 of 5"), HasSubstr("Open MPI says rank 1 of 4")));
}

TEST(TwoLaunchers, RankCopiedFromTheLauncherIsTheSameLaunch) {
  const Map copied = Map{{"RANK", "3"}, {"WORLD_SIZE", "5"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}} + master;
  EXPECT_EQ(read(slurm() + copied).rank, 3);
  EXPECT_THAT(error_of(slurm() + copied + Map{{"RANK", "0"}}),
              AllOf(HasSubstr("Slurm says rank 3 of 5"), HasSubstr("RANK and WORLD_SIZE say 0 of 5")));
}

TEST(TwoLaunchers, AWorldSizeLeftOverIsTold) {
  EXPECT_EQ(read(slurm() + Map{{"WORLD_SIZE", "5"}}).launcher, Launcher::slurm);
  EXPECT_THAT(error_of(open_mpi() + Map{{"WORLD_SIZE", "5"}}),
              AllOf(HasSubstr("Open MPI says rank 1 of 4"), HasSubstr("WORLD_SIZE=5")));
}

TEST(CheckRanks, OneSizeIsAllowed) {
  EXPECT_NO_THROW(check_ranks({}, 7));
  EXPECT_NO_THROW(check_ranks(read(open_mpi()), 4));
  try {
    check_ranks(read(open_mpi()), 2);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("--ranks 2, but Open MPI started 4 processes"), HasSubstr("leave --ranks out")));
  }
}

TEST(ProcessEnvironment, TellsUnsetFromEmpty) {
  setenv("DUET_LAUNCH_TEST", "", 1);
  EXPECT_EQ(process_environment()("DUET_LAUNCH_TEST"), "");
  unsetenv("DUET_LAUNCH_TEST");
  EXPECT_EQ(process_environment()("DUET_LAUNCH_TEST"), std::nullopt);
}

}  // namespace

}  // namespace duet::comm
