// Whole runs on a GPU: ranks are threads, and share it where there are fewer GPUs than ranks.
#include <gmock/gmock.h>

#include "tests/gpu/on_gpu.h"
#include "train/compare.h"
#include "train/difference.h"
#include "train/train_run.h"

namespace duet::test {
namespace {

struct Shape {
  std::string name;
  int ranks, ep;
  std::int64_t experts, top_k;
  std::string capacity;
  std::vector<std::int64_t> tokens;
};

RunConfig config_of(const Shape& shape) {
  RunConfig config;
  config.device = DeviceKind::cuda;
  config.steps = 6;
  config.layout = {.ranks = shape.ranks, .ep = shape.ep};
  config.model.experts = shape.experts;
  config.model.top_k = shape.top_k;
  config.model.capacity_factor = shape.capacity;
  config.data.tokens = shape.tokens;
  return config;
}

// Threads through host memory; and NCCL where each rank can have a GPU of its own.
void expect_equal(RunConfig config, const std::string& name) {
  for (const auto transport : {comm::Transport::threads, comm::Transport::nccl}) {
    if (transport == comm::Transport::nccl && config.layout.ranks > gpu::count()) continue;
    config.transport = transport;
    const auto result = run_compare(config, {.block = 5, .warm_up = 2, .check_steps = 20}, {});
    EXPECT_TRUE(result.equal) << name << " over " << comm::name(transport) << ": EP " << result.difference_f64.ep
                              << ", DP " << result.difference_f64.dp;
    EXPECT_EQ(result.steps, config.steps) << name;
  }
}

using TrainingOnGpu = OnGpu;

TEST_F(TrainingOnGpu, TwoSimulatedRanksComputeWhatOneDeviceComputes) {
  expect_equal(config_of({"two_ranks", 2, 2, 2, 1, "none", {64}}), "two_ranks");
}

TEST_F(TrainingOnGpu, EveryLayoutComputesTheSameInFloat64) {
  for (const auto& shape :
       {Shape{"one_rank", 1, 1, 1, 1, "none", {24}}, Shape{"dropping", 2, 2, 2, 1, "1.0", {24}},
        Shape{"top_two", 2, 2, 4, 2, "1.25", {24}}, Shape{"hybrid", 4, 2, 4, 1, "1.0", {16}},
        Shape{"uneven", 3, 3, 3, 1, "1.0", {5, 0, 30}}, Shape{"no_tokens", 2, 2, 2, 1, "1.0", {0}}}) {
    expect_equal(config_of(shape), shape.name);
  }
}

TEST_F(TrainingOnGpu, EveryRuleRuns) {
  auto config = config_of({"rules", 2, 2, 4, 2, "1.0", {24}});
  config.accumulate = 2;
  config.record_tokens = true;
  config.model.layers = 2;
  config.model.expert = ExpertKind::swiglu;
  config.model.bias_rate = 0.001;
  config.model.router_jitter = 0.01;
  config.model.router_noise = 0.01;
  config.model.residual = true;
  config.model.drop = DropPolicy::random;
  config.model.aux = {{AuxKind::std, 0.01}, {AuxKind::cv2, 0.01}, {AuxKind::switch_, 0.01}, {AuxKind::z, 0.001}};
  config.optimizer.clip_norm = 1;
  config.optimizer.weight_decay = 0.01;
  expect_equal(config, "local rules");
  config.model.capacity_scope = Scope::global;
  config.model.aux_scope = Scope::global;
  config.model.drop = DropPolicy::probability;
  config.algorithms = {.all_reduce = comm::AllReduceAlgorithm::ring, .all_to_all = comm::AllToAllAlgorithm::pairwise};
  expect_equal(config, "global rules, the lessons' algorithms");
}

TEST_F(TrainingOnGpu, ComputesWhatTheCpuComputes) {
  auto config = config_of({"both", 2, 2, 2, 1, "none", {64}});
  config.float64 = true;
  config.steps = 10;
  const auto on_gpu = run_train(config, Mode::ep, {});
  config.device = DeviceKind::cpu;
  const auto on_cpu = run_train(config, Mode::ep, {});
  EXPECT_LE(relative_difference(on_gpu.parameters, on_cpu.parameters), 1e-10);
}

TEST_F(TrainingOnGpu, GivesTheSameBitsTwice) {
  const auto config = config_of({"bits", 2, 2, 4, 2, "1.0", {64}});
  EXPECT_EQ(relative_difference(run_train(config, Mode::ep, {}).parameters, run_train(config, Mode::ep, {}).parameters),
            0);
}

TEST_F(TrainingOnGpu, GoesOnFromACheckpointAsIfNeverStopped) {
  auto config = config_of({"resumed", 2, 2, 2, 1, "none", {24}});
  config.float64 = true;
  const auto whole = run_train(config, Mode::ep, {});
  TrainState state;
  const auto keep = [&](const TrainState& one) {
    state = one;
    for (auto& [name, tensor] : state.tensors) tensor = tensor.to(at::kCPU).clone();
  };
  config.steps = 3;
  run_train(config, Mode::ep, {.on_step = {}, .stop = nullptr, .on_checkpoint = keep});
  config.steps = 6;
  const auto resumed = run_train(config, Mode::dp, {}, &state);
  EXPECT_LE(relative_difference(resumed.parameters, whole.parameters), 1e-12);
}

TEST_F(TrainingOnGpu, TellsDeviceTimeOfEveryPhase) {
  int phases = 0;
  const auto look = [&](const trace::StepRecord& step) {
    if (step.step < 3) return;  // the first launches load kernels
    for (const auto& rank : step.ranks) {
      for (const auto& event : rank.events) {
        if (event.operation != trace::Operation::none) continue;
        ++phases;
        const auto what = trace::name(event.phase);
        constexpr std::int64_t clocks_ns = 1'000'000;  // by which the two clocks may be apart
        EXPECT_TRUE(event.on_device()) << what;
        EXPECT_GT(event.device_start_ns, event.start_ns - clocks_ns) << what;
        EXPECT_LT(event.device_end_ns, step.ranks.front().events.front().start_ns + step.step_ns + 5 * clocks_ns)
            << what;
      }
    }
  };
  run_train(config_of({"timed", 2, 2, 2, 1, "none", {64}}), Mode::ep, {.on_step = look});
  EXPECT_GE(phases, 3 * 2 * 10);
}

}  // namespace
}  // namespace duet::test
