#include "comm/launch/store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <numeric>
#include <thread>

#include "comm/launch/remote_store.h"
#include "core/error.h"

namespace duet::comm {

namespace {

using Clock = std::chrono::steady_clock;

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

StorePlace place_of(const Launch& launch) {
  if (launch.world_size == 1 && !launch.agent_store) return {.host = "127.0.0.1", .hosts = true};
  if (launch.store_host.empty()) {
    throw InputError({.what = fmt::format("{} ranks, and no place where they can meet: MASTER_ADDR and MASTER_PORT are "
                                          "not set",
                                          launch.world_size),
                      .where = fmt::format("rank {}, started by {}", launch.rank, name(launch.launcher)),
                      .usually = "torchrun sets them; srun and mpirun leave it to you",
                      .fix = launch.launcher == Launcher::open_mpi
                                 ? "mpirun -x MASTER_ADDR=HOST_OF_RANK_0 -x MASTER_PORT=29500 ..."
                                 : "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1) "
                                   "MASTER_PORT=29500"});
  }
  return {.host = launch.store_host,
          .port = launch.store_port,
          .hosts = launch.rank == 0 && !launch.agent_store,
          .beyond_this_host = launch.local_world_size < launch.world_size};
}

}  // namespace

struct Store::State {
  Launch launch;
  Deadline deadline{};
  std::string address = {};
  bool hosts = false;
  int barriers = 0;
  std::unique_ptr<RemoteStore> remote = nullptr;

  // torchrun's agent may keep its store when it starts the ranks again.
  std::string full(const std::string& key) const { return fmt::format("duet/{}/{}", launch.attempt, key); }
  std::string seconds() const { return fmt::format("{} s", static_cast<double>(deadline.count()) / 1000.0); }
  std::string where(const std::string& doing) const {
    return fmt::format("rank {} of {} on {}: {}, through the store at {}", launch.rank, launch.world_size, host_name(),
                       doing, address);
  }

  template <typename Call>
  auto ask(const std::string& doing, Call call) {
    try {
      return call(*remote);
    } catch (const StoreGone& gone) {
      throw RankError({.what = fmt::format("the store at {} is gone: {}", address, gone.what()),
                       .where = where(doing),
                       .usually = launch.agent_store
                                      ? "torchrun, which keeps it, was ended or stopped, or the network broke"
                                      : "rank 0, which keeps it, was ended or stopped, or the network broke",
                       .fix = "look at what the others said last, and start all ranks again"});
    }
  }

  void connect();
  void say_here();
  std::optional<std::string> failure(const std::string& doing);
  void wait(const std::vector<std::string>& keys, const std::vector<int>& setters, const std::string& doing);
  RankError too_late(const std::vector<std::string>& keys, const std::vector<int>& setters, const std::string& doing);
  std::vector<std::string> all_keys(const std::string& key) const;
  void wait_for_leavers(Deadline limit);
};

void Store::State::connect() {
  const auto place = place_of(launch);
  hosts = place.hosts;
  address = fmt::format("{}:{}", place.host, place.port);
  try {
    remote = std::make_unique<RemoteStore>(place, deadline);
  } catch (const StoreGone& gone) {
    throw RankError({.what = fmt::format("this rank cannot reach {}, where the ranks meet: {}", address, gone.what()),
                     .where = fmt::format("rank {} of {} on {}, started by {}", launch.rank, launch.world_size,
                                          host_name(), name(launch.launcher)),
                     .usually =
                         "rank 0 was never started or has ended, MASTER_ADDR or MASTER_PORT is another here than "
                         "there, or a firewall is between the two",
                     .fix = "look at what rank 0 says, and whether this host reaches that one (ping, nc -zv)"});
  }
  address = fmt::format("{}:{}", place.host, remote->port());
}

void Store::State::say_here() {
  const auto mine = fmt::format("process {} on {}", getpid(), host_name());
  const auto number = std::to_string(launch.rank);
  const auto others = ask("saying that it is here", [&](RemoteStore& store) {
    const auto arrivals = store.add(full("arrivals/" + number), 1);
    if (arrivals == 1) store.set(full("here/" + number), mine);
    return arrivals - 1;
  });
  if (others == 0) return;
  const auto other =
      ask("asking for its double", [&](RemoteStore& store) { return store.look(full("here/" + number)); });
  throw InputError({.what = fmt::format("two processes say that they are rank {} of {}: {}, and {}", launch.rank,
                                        launch.world_size, other.value_or("another"), mine),
                    .where = "the store at " + address,
                    .usually =
                        "a second run has the same MASTER_ADDR and MASTER_PORT, or the launcher was itself started "
                        "more than once",
                    .fix = "give each run a MASTER_PORT of its own"});
}

std::optional<std::string> Store::State::failure(const std::string& doing) {
  return ask(doing, [&](RemoteStore& store) { return store.look(full("failed")); });
}

void Store::State::wait(const std::vector<std::string>& keys, const std::vector<int>& setters,
                        const std::string& doing) {
  const auto start = Clock::now();
  auto pause = std::chrono::milliseconds(1);
  while (!ask(doing, [&](RemoteStore& store) { return store.has_all(keys); })) {
    if (const auto failed = failure(doing)) {
      throw RankError({.what = *failed, .where = where(doing), .usually = {}, .fix = {}});
    }
    if (deadline.count() > 0 && Clock::now() - start > deadline) throw too_late(keys, setters, doing);
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
  }
}

// keys[i] is what rank setters[i] sets; without setters, any rank may.
RankError Store::State::too_late(const std::vector<std::string>& keys, const std::vector<int>& setters,
                                 const std::string& doing) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < setters.size(); ++i) {
    if (ask(doing, [&](RemoteStore& store) { return store.has_all({keys[i]}); })) continue;
    const auto here = full(fmt::format("here/{}", setters[i]));
    const auto place = ask(doing, [&](RemoteStore& store) { return store.look(here); });
    missing.push_back(fmt::format("rank {} ({})", setters[i], place.value_or("it never connected")));
  }
  return RankError({.what = setters.empty()
                                ? fmt::format("no rank set '{}' within {}", doing, seconds())
                                : fmt::format("{} did not come within {}", fmt::join(missing, ", "), seconds()),
                    .where = where(doing),
                    .usually = "it was never started, was ended or stopped, or still computes",
                    .fix = "look whether it runs and what it said last; --deadline allows it more time"});
}

std::vector<std::string> Store::State::all_keys(const std::string& key) const {
  std::vector<std::string> keys;
  for (int rank = 0; rank < launch.world_size; ++rank) keys.push_back(full(fmt::format("{}/{}", key, rank)));
  return keys;
}

void Store::State::wait_for_leavers(Deadline limit) {
  const auto start = Clock::now();
  while (remote->add(full("left"), 0) < launch.world_size - 1 && Clock::now() - start < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Store::Store(const Launch& launch, Deadline deadline)
    : state_(std::make_unique<State>(State{.launch = launch, .deadline = deadline})) {
  state_->connect();
  state_->say_here();
}

Store::~Store() = default;

int Store::rank() const { return state_->launch.rank; }
int Store::size() const { return state_->launch.world_size; }
const std::string& Store::address() const { return state_->address; }

void Store::set(const std::string& key, const std::string& value) {
  state_->ask("setting " + key, [&](RemoteStore& store) { store.set(state_->full(key), value); });
}

std::string Store::get(const std::string& key) {
  const auto doing = "waiting for " + key;
  state_->wait({state_->full(key)}, {}, doing);
  return *state_->ask(doing, [&](RemoteStore& store) { return store.look(state_->full(key)); });
}

std::int64_t Store::add(const std::string& key, std::int64_t amount) {
  return state_->ask("adding to " + key, [&](RemoteStore& store) { return store.add(state_->full(key), amount); });
}

void Store::barrier() { gather(fmt::format("barrier #{}", ++state_->barriers), ""); }

std::vector<std::string> Store::gather(const std::string& key, const std::string& mine) {
  const auto keys = state_->all_keys(key);
  std::vector<int> ranks(keys.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  set(fmt::format("{}/{}", key, rank()), mine);
  state_->wait(keys, ranks, key);
  std::vector<std::string> values;
  for (const auto& one : keys) {
    values.push_back(*state_->ask(key, [&](RemoteStore& store) { return store.look(one); }));
  }
  return values;
}

std::string Store::broadcast(const std::string& key, const std::string& value, int root) {
  if (rank() == root) {
    set(key, value);
    return value;
  }
  state_->wait({state_->full(key)}, {root}, key);
  return *state_->ask(key, [&](RemoteStore& store) { return store.look(state_->full(key)); });
}

void Store::fail(const std::string& reason, Deadline grace) noexcept {
  try {
    auto& state = *state_;
    state.remote->set_first(state.full("failed"), fmt::format("rank {} failed: {}", rank(), reason));
    state.remote->add(state.full("left"), state.hosts ? 0 : 1);
    if (state.hosts) state.wait_for_leavers(grace);
  } catch (const std::exception&) {
    return;  // the others then find the store gone, which is all that can be told
  }
}

std::optional<std::string> Store::failure() { return state_->failure("asking whether a rank failed"); }

void Store::leave() {
  auto& state = *state_;
  if (!state.hosts) {
    add("left", 1);
    return;
  }
  state.ask("waiting until the others left", [&](RemoteStore&) { state.wait_for_leavers(state.deadline); });
}

}  // namespace duet::comm
