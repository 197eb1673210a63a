// The double's NCCL: nonblocking communicators only, as the transport makes them.
#include <cstring>
#include <optional>

#include "tests/nccl_double/clique.h"

using duet::nccl_double::any_rank;
using duet::nccl_double::Clique;
using duet::nccl_double::current_device;
using duet::nccl_double::engine;
using duet::nccl_double::Fault;
using duet::nccl_double::Part;
using duet::nccl_double::Side;

struct ncclComm {
  struct Launch {
    cudaStream_t stream = nullptr;
    Task task = {};
  };
  struct Splitting {
    std::uint64_t round = 0;
    ncclComm_t* into = nullptr;
  };
  std::shared_ptr<Clique> clique = {};
  int rank = 0;
  int polls = 0;  ///< looks until what it does is done
  ncclResult_t error = ncclSuccess;
  std::uint64_t collectives = 0, splits = 0;
  std::vector<Launch> launches = {};  ///< go into their streams after the last look
  std::optional<Splitting> splitting = {};
};

namespace {

/// The calls of an open group of this thread.
struct OpenGroup {
  struct Message {
    bool sends = false;
    int peer = 0;
    std::shared_ptr<Side> side = {};
  };
  int depth = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<Message> messages = {};
  bool stalled = false;
};
thread_local OpenGroup open_group;

ncclComm_t born(std::shared_ptr<Clique> clique, int rank) {
  auto* const comm = new ncclComm{.clique = std::move(clique), .rank = rank, .polls = engine().polls};
  if (!comm->clique->join(current_device())) comm->error = ncclInvalidUsage;
  ++engine().comms;
  return comm;
}

struct Met {
  ncclResult_t result = ncclSuccess;
  bool stalls = false;
};

// Counts the call, and says what a fault makes of it.
Met met(const char* call, ncclComm_t comm) {
  const int rank = comm == nullptr ? any_rank : comm->rank;
  ++engine().calls[call];
  if (const auto* const fault = engine().meets(Fault::Kind::result, call, rank)) {
    return {.result = static_cast<ncclResult_t>(fault->result)};
  }
  if (comm == nullptr) return {};
  if (const auto* const fault = engine().meets(Fault::Kind::async, call, rank)) {
    comm->error = static_cast<ncclResult_t>(fault->result);
    return {.stalls = true};
  }
  if (comm->error != ncclSuccess) return {.result = comm->error};
  const bool busy = !comm->clique->complete() || comm->polls > 0 || comm->splitting.has_value();
  if (busy) return {.result = ncclInvalidUsage};  // the caller did not wait until it was no longer in progress
  return {.stalls = engine().meets(Fault::Kind::stall, call, rank) != nullptr};
}

ncclResult_t launch(ncclComm_t comm, cudaStream_t stream, std::function<bool()> run, bool stalled) {
  if (stalled) run = [] { return false; };
  comm->launches.push_back({.stream = stream, .task = {.run = std::move(run), .owner = comm}});
  comm->polls = engine().polls;
  if (comm->polls > 0) return ncclInProgress;
  for (auto& each : comm->launches) engine().stream(each.stream).tasks.push_back(std::move(each.task));
  comm->launches.clear();
  engine().pump();
  return ncclSuccess;
}

ncclResult_t collective(const char* call, Part part, ncclComm_t comm, cudaStream_t stream) {
  const std::scoped_lock lock(engine().mutex);
  const auto [result, stalls] = met(call, comm);
  if (result != ncclSuccess) return result;
  part.call = call;
  const auto run = [clique = comm->clique, number = comm->collectives++, rank = comm->rank, part] {
    return clique->collective(number, rank, part);
  };
  return launch(comm, stream, run, stalls);
}

ncclResult_t message(const char* call, bool sends, void* memory, std::size_t bytes, int peer, ncclComm_t comm,
                     cudaStream_t stream) {
  const std::scoped_lock lock(engine().mutex);
  const auto [result, stalls] = met(call, comm);
  if (result != ncclSuccess) return result;
  auto& group = open_group;
  if (group.depth == 0) return ncclInvalidUsage;  // the transport always groups
  group.comm = comm;
  group.stream = stream;
  group.stalled = group.stalled || stalls;
  group.messages.push_back({.sends = sends, .peer = peer, .side = std::make_shared<Side>(Side{memory, bytes})});
  return ncclSuccess;
}

// All messages of a group move together: none waits for another to end.
std::function<bool()> together(ncclComm_t comm, std::vector<OpenGroup::Message> messages) {
  const auto from = [rank = comm->rank](const OpenGroup::Message& m) { return m.sends ? rank : m.peer; };
  const auto to = [rank = comm->rank](const OpenGroup::Message& m) { return m.sends ? m.peer : rank; };
  return [=, clique = comm->clique, laid = false]() mutable {
    bool done = true;
    for (const auto& each : messages) {
      if (!laid && each.sends) clique->offer(from(each), to(each), each.side);
      if (!laid && !each.sends) clique->want(from(each), to(each), each.side);
    }
    laid = true;
    for (const auto& each : messages) {
      clique->match(from(each), to(each));
      done = done && each.side->done;
    }
    return done;
  };
}

void go_on_splitting(ncclComm_t comm) {
  if (!comm->clique->all_wished(comm->splitting->round)) return;
  const auto [clique, rank] = comm->clique->part_of(comm->splitting->round, comm->rank);
  *comm->splitting->into = born(clique, rank);
  comm->splitting.reset();
}

bool has_tasks(ncclComm_t comm) {
  for (auto* const stream : engine().streams) {
    for (const auto& task : stream->tasks) {
      if (task.owner == comm) return true;
    }
  }
  return false;
}

void end(ncclComm_t comm) {
  comm->clique->die(comm->rank);
  engine().take_back(comm);
  --engine().comms;
  delete comm;
}

std::map<int, std::weak_ptr<Clique>>& cliques() {
  static auto* const all = new std::map<int, std::weak_ptr<Clique>>;
  return *all;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  const std::scoped_lock lock(engine().mutex);
  *version = engine().version;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::scoped_lock lock(engine().mutex);
  if (const auto result = met("ncclGetUniqueId", nullptr).result; result != ncclSuccess) return result;
  const int number = static_cast<int>(cliques().size()) + 1;
  cliques()[number] = {};
  std::memset(id->internal, 0, sizeof(id->internal));
  std::memcpy(id->internal, &number, sizeof(number));
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  if (result == ncclSystemError) return "unhandled system error";
  if (result == ncclRemoteError) return "remote process exited or there was a network error";
  return result == ncclInvalidUsage ? "invalid usage" : "an error of the double";
}

const char* ncclGetLastError(ncclComm_t) { return "the double was told to"; }

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  const std::scoped_lock lock(engine().mutex);
  int number = 0;
  std::memcpy(&number, id.internal, sizeof(number));
  if (cliques().count(number) == 0 || config->blocking != 0) return ncclInvalidArgument;
  if (const auto result = met("ncclCommInitRankConfig", nullptr).result; result != ncclSuccess) return result;
  auto clique = cliques()[number].lock();
  if (!clique) cliques()[number] = clique = std::make_shared<Clique>(ranks);
  *comm = born(clique, rank);
  return ncclInProgress;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* part, ncclConfig_t* config) {
  const std::scoped_lock lock(engine().mutex);
  if (color < 0 || config->blocking != 0) return ncclInvalidArgument;
  if (const auto result = met("ncclCommSplit", comm).result; result != ncclSuccess) return result;
  comm->splitting = {.round = comm->splits++, .into = part};
  comm->clique->wish(comm->splitting->round, comm->rank, color, key);
  comm->polls = engine().polls;
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  const std::scoped_lock lock(engine().mutex);
  *state = comm->error;
  if (comm->error != ncclSuccess) return ncclSuccess;
  *state = ncclInProgress;
  if (!comm->clique->complete()) return ncclSuccess;
  if (comm->polls > 0) {
    --comm->polls;
    return ncclSuccess;
  }
  if (comm->splitting) {
    go_on_splitting(comm);
    return ncclSuccess;
  }
  for (auto& each : comm->launches) engine().stream(each.stream).tasks.push_back(std::move(each.task));
  comm->launches.clear();
  engine().pump();
  *state = ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  const std::scoped_lock lock(engine().mutex);
  if (const auto result = met("ncclCommFinalize", comm).result; result != ncclSuccess) return result;
  engine().pump();
  return has_tasks(comm) ? ncclInvalidUsage : ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const std::scoped_lock lock(engine().mutex);
  ++engine().calls["ncclCommDestroy"];
  end(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const std::scoped_lock lock(engine().mutex);
  ++engine().calls["ncclCommAbort"];
  end(comm);
  engine().pump();
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++open_group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  const std::scoped_lock lock(engine().mutex);
  if (--open_group.depth > 0) return ncclSuccess;
  const auto group = std::move(open_group);
  open_group = {};
  if (group.messages.empty()) return ncclSuccess;
  const auto [result, stalls] = met("ncclGroupEnd", group.comm);
  if (result != ncclSuccess) return result;
  return launch(group.comm, group.stream, together(group.comm, group.messages), group.stalled || stalls);
}

ncclResult_t ncclSend(const void* send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  const auto bytes = count * duet::nccl_double::size_of(type);
  return message("ncclSend", true, const_cast<void*>(send), bytes, peer, comm, stream);
}

ncclResult_t ncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return message("ncclRecv", false, receive, count * duet::nccl_double::size_of(type), peer, comm, stream);
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t,
                           ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclAllReduce", {.send = send, .receive = receive, .count = count, .type = type}, comm, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return collective("ncclAllGather", {.send = send, .receive = receive, .count = count, .type = type}, comm, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t,
                               ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclReduceScatter", {.send = send, .receive = receive, .count = count, .type = type}, comm,
                    stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclBroadcast", {.send = send, .receive = receive, .count = count, .type = type, .root = root},
                    comm, stream);
}

}  // extern "C"
