#include "comm/nccl/run_nccl_launched.h"

#include <cstdio>

#include "comm/launch/store.h"
#include "core/error.h"

namespace duet::comm {

namespace {

// A process joins its store once: torchrun's agent would take a second time for a second process of the same rank.
// Destroyed when the process ends.
struct Meeting {
  explicit Meeting(const Launch& launch, Deadline deadline) : store(launch, deadline) {}
  ~Meeting() {
    try {
      if (!store.failure()) store.leave();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "warning: %s\n", error.what());
    }
  }
  Store store;
  int runs = 0;
};

Meeting& meeting(const Launch& launch, Deadline deadline) {
  static Meeting only(launch, deadline);
  return only;
}

class StoreSignal : public Signal {
 public:
  StoreSignal(Store& store, std::function<void(int, const std::string&)> on_failure)
      : store_(store), on_failure_(std::move(on_failure)) {}

  std::optional<Failure> poll() override {
    const auto said = store_.failure();
    if (!said) return std::nullopt;
    Failure failure{.rank = 0, .reason = *said};  // "rank R failed: reason"
    int end = 0;
    if (std::sscanf(said->c_str(), "rank %d failed: %n", &failure.rank, &end) == 1 && end > 0) {
      failure.reason = said->substr(static_cast<std::size_t>(end));
    }
    return failure;
  }
  void raise(const Failure& failure) override {
    if (on_failure_) on_failure_(failure.rank, failure.reason);
    store_.fail(failure.reason);
  }

 private:
  Store& store_;
  const std::function<void(int, const std::string&)> on_failure_;
};

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void run_process(const Launch& launch, const NcclOptions& options, const std::function<void(Communicator&)>& body,
                 const std::function<void(int rank, const std::string& reason)>& on_failure) {
  auto& met = meeting(launch, options.deadline);
  const auto run = std::to_string(met.runs++);
  const auto exchange = [&](std::span<const std::byte> mine, int root) {
    const auto text = met.store.broadcast("nccl id of run " + run, as_text(mine), root);
    const auto bytes = std::as_bytes(std::span(text));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  run_nccl_process({.rank = launch.rank,
                    .size = launch.world_size,
                    .device = launch.local_rank,
                    .exchange_id = exchange,
                    .signal = std::make_shared<StoreSignal>(met.store, on_failure)},
                   options, body);
}

}  // namespace

void run_nccl_launched(int ranks, const NcclOptions& options, const std::function<void(Communicator&)>& body,
                       const std::function<void(int rank, const std::string& reason)>& on_failure) {
  const auto launch = read_launch(process_environment());
  if (launch.launcher == Launcher::none) return run_nccl_threads(ranks, options, body);
  check_ranks(launch, ranks);
  run_process(launch, options, body, on_failure);
}

}  // namespace duet::comm
