#include "comm/nccl/run_nccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "comm/nccl/nccl_communicator.h"
#include "comm/nccl/signal_watch.h"
#include "comm/nccl/thread_watch.h"
#include "comm/threads/rank_threads.h"

namespace duet::comm {

namespace {

constexpr const char* simulation =
    "two ranks share one GPU only as a simulation over threads: --transport threads --device cuda";

int count_devices() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

std::vector<int> choose_devices(int ranks, std::vector<int> devices) {
  if (ranks < 1) throw InputError(fmt::format("{} ranks: at least one is needed", ranks));
  if (devices.empty()) {
    devices.resize(static_cast<std::size_t>(ranks));
    std::iota(devices.begin(), devices.end(), 0);
  }
  if (static_cast<int>(devices.size()) != ranks) {
    throw InputError(fmt::format("{} devices are named for {} ranks", devices.size(), ranks));
  }
  const int count = count_devices();
  for (auto device = devices.begin(); device != devices.end(); ++device) {
    const auto same = std::find(devices.begin(), device, *device);
    if (same != device) {
      throw InputError({.what = fmt::format("ranks {} and {} would share GPU {}, which NCCL refuses",
                                            same - devices.begin(), device - devices.begin(), *device),
                        .where = {},
                        .usually = "there are more ranks than GPUs",
                        .fix = simulation});
    }
    if (*device >= 0 && *device < count) continue;
    throw InputError({.what = fmt::format("rank {} needs GPU {}, but {} {} here", device - devices.begin(), *device,
                                          count, count == 1 ? "is" : "are"),
                      .where = {},
                      .usually = "NCCL gives each rank a GPU of its own; CUDA_VISIBLE_DEVICES may hide some",
                      .fix = fmt::format("use --ranks {}; {}", std::max(count, 1), simulation)});
  }
  return devices;
}

ncclUniqueId share_id(int rank, const IdExchange& exchange) {
  ncclUniqueId id{};
  if (rank == 0) {
    const auto result = ncclGetUniqueId(&id);
    if (result != ncclSuccess) throw RankError(nccl_error(result, "ncclGetUniqueId", "rank 0 at the start"));
  }
  const auto bytes = exchange(std::as_bytes(std::span(id.internal)), 0);
  if (bytes.size() != sizeof(id.internal)) {
    throw RankError({.what = fmt::format("rank {} got an NCCL id of {} bytes instead of {}", rank, bytes.size(),
                                         sizeof(id.internal)),
                     .where = "at the start",
                     .usually = "another run uses the same store",
                     .fix = "give each run a port or a job id of its own"});
  }
  std::memcpy(id.internal, bytes.data(), bytes.size());
  return id;
}

// One rank's life, in its own thread, with its device current.
void run_rank(const std::shared_ptr<NcclWorld>& world, int device, const IdExchange& exchange,
              const std::function<void(Communicator&)>& body) {
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  {
    const auto comm = make_nccl_communicator(NcclGroup::of_all(world, share_id(world->rank, exchange)));
    try {
      body(*comm);
    } catch (...) {
      world->watch->fail(std::current_exception());  // before the communicator goes: the others learn the reason first
      throw;
    }
  }
  if (world->left.empty() || world->watch->has_failed()) return;
  throw RankError({.what = fmt::format("rank {} left {} before the others had finished", world->rank, world->left),
                   .where = {},
                   .usually = "an exception was caught inside the rank",
                   .fix = "let it leave the rank's function"});
}

std::shared_ptr<NcclWorld> make_world(int rank, int size, const NcclOptions& options, std::shared_ptr<Watch> watch) {
  auto world = std::make_shared<NcclWorld>();
  world->rank = rank;
  world->size = size;
  world->deadline = options.deadline;
  world->checked = options.checked;
  world->compute_stream = options.compute_stream;
  world->watch = std::move(watch);
  return world;
}

}  // namespace

void run_nccl_threads(int ranks, const NcclOptions& options, const std::function<void(Communicator&)>& body) {
  const auto devices = choose_devices(ranks, options.devices);
  check_nccl_version();
  const auto threads = std::make_shared<ThreadWorld>(ranks, options.deadline);
  const auto board = std::make_shared<ThreadBoard>(threads);
  run_rank_threads(*threads, {.deadline = options.deadline, .grace = options.grace}, [&](int rank) {
    const auto world = make_world(rank, ranks, options, make_thread_watch(board, rank));
    world->one_process = true;
    run_rank(world, devices[static_cast<std::size_t>(rank)], board->exchange_of(rank), body);
  });
}

void run_nccl_process(const NcclProcess& process, const NcclOptions& options,
                      const std::function<void(Communicator&)>& body) {
  const auto watch = make_signal_watch(process.signal, process.rank);
  try {
    check_nccl_version();
    const auto world = make_world(process.rank, process.size, options, watch);
    run_rank(world, process.device, process.exchange_id, body);
  } catch (const Error&) {
    watch->fail(std::current_exception());
    throw;
  } catch (...) {
    watch->fail(std::current_exception());
    throw RankError({.what = fmt::format("rank {} failed: {}", process.rank, what_happened(std::current_exception())),
                     .where = {},
                     .usually = {},
                     .fix = {}});
  }
}

}  // namespace duet::comm
