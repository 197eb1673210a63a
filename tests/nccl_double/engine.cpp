#include "tests/nccl_double/engine.h"

#include <algorithm>

namespace duet::nccl_double {

namespace {

bool pump_one(CUstream_st& stream) {
  bool moved = false;
  while (!stream.tasks.empty() && stream.tasks.front().run()) {
    stream.tasks.pop_front();
    moved = true;
  }
  return moved;
}

void add_fault(Fault fault) {
  const std::scoped_lock lock(engine().mutex);
  engine().faults.push_back(std::move(fault));
}

}  // namespace

// The one machine of the process, as a real driver's: never destroyed, for a rank may outlive main's statics.
Engine& engine() {
  static auto* const machine = new Engine;
  return *machine;
}

const Fault* Engine::meets(Fault::Kind kind, const std::string& call, int rank) {
  for (auto fault = faults.begin(); fault != faults.end(); ++fault) {
    const bool mine = fault->kind == kind && fault->call == call && (fault->rank == any_rank || fault->rank == rank);
    if (!mine || --fault->countdown > 0) continue;
    met_.splice(met_.end(), faults, fault);
    return &met_.back();
  }
  return nullptr;
}

CUstream_st& Engine::stream(cudaStream_t handle) {
  return handle == nullptr ? default_streams[current_device()] : *handle;
}

void Engine::pump() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (auto* const each : streams) moved = pump_one(*each) || moved;
    for (auto& [device, each] : default_streams) moved = pump_one(each) || moved;
  }
}

void Engine::take_back(const void* owner) {
  for (auto* const each : streams) {
    std::erase_if(each->tasks, [owner](const Task& task) { return task.owner == owner; });
  }
}

void reset() {
  auto& machine = engine();
  const std::scoped_lock lock(machine.mutex);
  machine.devices = 8;
  machine.driver = cudaSuccess;
  machine.version = NCCL_VERSION_CODE;
  machine.polls = 0;
  machine.held = false;
  machine.faults.clear();
  machine.calls.clear();
  machine.default_streams.clear();
}

void set_devices(int count) {
  const std::scoped_lock lock(engine().mutex);
  engine().devices = count;
}

void set_driver_error(cudaError_t error) {
  const std::scoped_lock lock(engine().mutex);
  engine().driver = error;
}

void set_version(int version) {
  const std::scoped_lock lock(engine().mutex);
  engine().version = version;
}

void fail_call(const std::string& call, int nth, ncclResult_t result, int rank) {
  add_fault({.kind = Fault::Kind::result, .call = call, .rank = rank, .countdown = nth, .result = result});
}

void fail_cuda_call(const std::string& call, int nth, cudaError_t result) {
  add_fault({.kind = Fault::Kind::cuda, .call = call, .rank = any_rank, .countdown = nth, .result = result});
}

void stall_call(const std::string& call, int nth, int rank) {
  add_fault({.kind = Fault::Kind::stall, .call = call, .rank = rank, .countdown = nth, .result = 0});
}

void async_error_at(const std::string& call, int nth, ncclResult_t result, int rank) {
  add_fault({.kind = Fault::Kind::async, .call = call, .rank = rank, .countdown = nth, .result = result});
}

void take_polls(int polls) {
  const std::scoped_lock lock(engine().mutex);
  engine().polls = polls;
}

void hold(cudaStream_t stream) {
  auto& machine = engine();
  const std::scoped_lock lock(machine.mutex);
  machine.held = true;
  machine.stream(stream).tasks.push_back({.run = [&machine] { return !machine.held; }, .owner = nullptr});
}

void release() {
  const std::scoped_lock lock(engine().mutex);
  engine().held = false;
  engine().pump();
}

int calls(const std::string& call) {
  const std::scoped_lock lock(engine().mutex);
  return engine().calls[call];
}

Alive alive() {
  const std::scoped_lock lock(engine().mutex);
  return {.comms = engine().comms,
          .streams = static_cast<int>(engine().streams.size()),
          .events = engine().events,
          .allocations = static_cast<int>(engine().allocations.size())};
}

}  // namespace duet::nccl_double
