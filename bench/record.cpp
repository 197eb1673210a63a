// What recording costs: the same steps with a recorder and without, in alternating blocks of one run.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/flags.h"
#include "core/clock.h"
#include "trace/statistics.h"
#include "train/ranks.h"
#include "train/step.h"

namespace duet {

namespace {

void set_recorder(MeshGroups& groups, trace::Recorder* recorder) {
  for (auto* group : {groups.world.get(), groups.ep.get(), groups.dp.get()}) group->set_recorder(recorder);
}

struct Samples {
  std::vector<double> with_us, without_us;
  std::size_t events = 0;  ///< of one step
};

// Recording alone, free of what else moves on this machine: nanoseconds an event.
double event_ns() {
  constexpr std::int64_t rounds = 2000, events = 50;
  trace::Recorder recorder;
  auto best = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t round = 0; round < rounds; ++round) {
    recorder.clear();
    const auto start = now_ns();
    for (std::int64_t i = 0; i < events; ++i) {
      const trace::Recorder::Scope scope(&recorder, trace::Phase::expert, trace::Direction::forward);
    }
    best = std::min(best, now_ns() - start);
  }
  return static_cast<double>(best) / events;
}

Samples measure(comm::Communicator& world, const RunConfig& config) {
  trace::Recorder recorder;
  const auto layout = layout_of(config, Mode::ep);
  auto groups = split_mesh(world, layout.mesh, &recorder);
  const auto shards = shards_of(world.rank(), world.size(), shard_sizes(config));
  const DataSource data(config.data, config.model.dim, at::kFloat);
  auto model = make_model(config.model, config.data.seed, layout, world.rank(), at::kFloat);
  Adam adam(model.values, config.optimizer);
  Samples samples;
  for (std::int64_t step = 0; step < 2 * config.steps; ++step) {
    const bool recording = step / 20 % 2 == 0;
    set_recorder(groups, recording ? &recorder : nullptr);
    const auto batch = data.batch(step, shards);
    groups.world->barrier();
    const auto start = now_ns();
    recorder.clear();
    train_step(groups, model, adam, {{.batch = batch, .draws = {}}}, step_rules(config));
    const double us = static_cast<double>(now_ns() - start) / 1000;
    if (recording) samples.events = recorder.events().size();
    if (step >= bench::warm_up) (recording ? samples.with_us : samples.without_us).push_back(us);
  }
  return samples;
}

int run(int argc, char** argv) {
  auto config = bench::read_flags(argc, argv, "a step with and without recording");
  config.model.experts = config.layout.ranks;
  Samples first;
  run_on_ranks(config, [&](comm::Communicator& world) {
    auto samples = measure(world, config);
    if (world.rank() == 0) first = std::move(samples);
  });
  const auto with = trace::spread_of(first.with_us);
  const auto without = trace::spread_of(first.without_us);
  fmt::print("recording | min us | p10 us | median us\n--- | --- | --- | ---\n");
  fmt::print("on | {:.1f} | {:.1f} | {:.1f}\noff | {:.1f} | {:.1f} | {:.1f}\n", with.min, with.p10, with.median,
             without.min, without.p10, without.median);
  fmt::print("difference: {:+.1f}% of the fastest step, {:+.1f}% of the median\n", 100 * (with.min / without.min - 1),
             100 * (with.median / without.median - 1));
  const double alone_us = event_ns() * static_cast<double>(first.events) / 1000;
  fmt::print("recording alone: {} events, {:.2f} us, {:.2f}% of the fastest step\n", first.events, alone_us,
             100 * alone_us / without.min);
  return 0;
}

}  // namespace

}  // namespace duet

int main(int argc, char** argv) { return duet::run(argc, argv); }
