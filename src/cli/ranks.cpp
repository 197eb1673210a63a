// ./duet ranks: who each rank is, and whether they find each other. The first thing to try under a new launcher.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/text_table.h"
#include "cli/verbs.h"
#include "comm/launch/launch.h"
#include "comm/launch/store.h"
#include "core/error.h"

namespace duet::cli {

namespace {

using nlohmann::json;

struct RanksFlags {
  int ranks = 0;  // 0: as many as the launcher started
  double deadline_s = 30;
  bool json = false;
  int hold_rank = -1;  // for tests: this rank never comes to the barrier
};

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

json describe(const comm::Launch& launch) {
  return {{"rank", launch.rank},
          {"world_size", launch.world_size},
          {"local_rank", launch.local_rank},
          {"local_world_size", launch.local_world_size},
          {"launcher", comm::name(launch.launcher)},
          {"host", host_name()},
          {"process", getpid()},
          {"device", "cpu"}};
}

// 128 bytes of any value, as NCCL's unique id.
std::string make_id() {
  std::random_device device;
  std::string id(128, '\0');
  for (auto& byte : id) byte = static_cast<char>(device() & 0xffU);
  id[1] = '\0';
  return id;
}

// What each rank says of itself, once all have met and hold the same id.
std::vector<json> meet(comm::Store& store, const comm::Launch& launch, int hold_rank) {
  if (store.rank() == hold_rank) std::this_thread::sleep_for(std::chrono::hours(1));
  store.barrier();
  auto mine = describe(launch);
  const auto id = store.broadcast("id", make_id(), 0);
  mine["id_hash"] = std::hash<std::string>{}(id);
  std::vector<json> all;
  for (const auto& text : store.gather("who", mine.dump())) all.push_back(json::parse(text));
  for (auto& rank : all) {
    if (rank.at("id_hash") != mine.at("id_hash")) {
      throw RankError(
          {.what = fmt::format("rank {} got another id than rank {}", rank.at("rank").get<int>(), launch.rank),
           .where = "the exchange of an id through the store at " + store.address(),
           .usually = "two runs share one store",
           .fix = "give each run a MASTER_PORT of its own"});
    }
    rank.erase("id_hash");
  }
  return all;
}

std::string table(const std::vector<json>& ranks, const std::string& address) {
  TextTable table;
  table.add({"rank", "of", "local", "launcher", "host", "process", "device"});
  for (const auto& rank : ranks) {
    table.add({std::to_string(rank.at("rank").get<int>()), std::to_string(rank.at("world_size").get<int>()),
               fmt::format("{} of {}", rank.at("local_rank").get<int>(), rank.at("local_world_size").get<int>()),
               rank.at("launcher").get<std::string>(), rank.at("host").get<std::string>(),
               std::to_string(rank.at("process").get<long>()), rank.at("device").get<std::string>()});
  }
  return fmt::format("{}All met at a barrier and hold the same id, through the store at {}.\n", table.text(), address);
}

void check(const RanksFlags& flags, const comm::Launch& launch) {
  if (flags.ranks == 0) return;
  comm::check_ranks(launch, flags.ranks);
  if (flags.ranks == launch.world_size) return;
  throw InputError({.what = fmt::format("--ranks {}, and no launcher started this process", flags.ranks),
                    .where = {},
                    .usually = "compare and train make their ranks as threads of one process; ranks tells of processes",
                    .fix = fmt::format("torchrun --no-python --nproc-per-node {} ./duet ranks", flags.ranks)});
}

int run(const RanksFlags& flags) {
  const auto launch = comm::read_launch(comm::process_environment());
  check(flags, launch);
  comm::Store store(launch, std::chrono::milliseconds(static_cast<std::int64_t>(flags.deadline_s * 1000)));
  try {
    const auto ranks = meet(store, launch, flags.hold_rank);
    if (launch.rank == 0) {
      fmt::print("{}", flags.json ? json{{"store", store.address()}, {"ranks", ranks}}.dump(2) + "\n"
                                  : table(ranks, store.address()));
    }
    store.leave();
  } catch (const Error& error) {
    store.fail(error.text().what);
    throw;
  } catch (const std::exception& error) {
    store.fail(error.what());
    throw;
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_ranks(CLI::App& program, int& code) {
  const auto flags = std::make_shared<RanksFlags>();
  auto* const verb = program.add_subcommand("ranks", "who each rank is, and whether they find each other");
  verb->add_option("--ranks", flags->ranks, "how many processes there should be")->check(CLI::Range(1, 65536));
  verb->add_option("--deadline", flags->deadline_s, "seconds that a rank waits for the others; 0: no end")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  verb->add_flag("--json", flags->json, "print one JSON object and nothing else");
  verb->add_option("--hold-rank", flags->hold_rank)->group("");
  verb->callback([flags, &code] { code = run(*flags); });
}

}  // namespace duet::cli
