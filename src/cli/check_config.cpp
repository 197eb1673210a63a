#include "cli/check_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "core/error.h"
#include "core/gpu/gpu.h"
#include "model/memory_model.h"
#include "parallel/shard.h"
#include "train/device.h"
#include "train/ranks.h"

namespace duet::cli {

namespace {

// What the kernel can still give, in bytes; 0 where it does not say.
double available_on_host() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string word; meminfo >> word;) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && meminfo >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// The same of the memory that the run's tensors will be in. GPUs are taken to be alike.
double available_bytes(const RunConfig& config) {
  if (choose_device(config.device).kind == DeviceKind::cpu) return available_on_host();
  const int gpus = std::min(gpu::count(), config.layout.ranks);
  return static_cast<double>(gpu::free_bytes({at::kCUDA, 0})) * gpus;
}

void check_model(const ModelConfig& model) {
  if (model.top_k > model.experts) {
    throw InputError({.what = fmt::format("--top-k {} of {} experts", model.top_k, model.experts),
                      .where = {},
                      .usually = "a token goes to no expert twice",
                      .fix = fmt::format("choose a --top-k from 1 to {}, or more --experts", model.experts)});
  }
  if (model.renormalize && model.top_k == 1 && !model.constant_gate) {
    throw InputError({.what = "--renormalize with --top-k 1 makes every gate 1",
                      .where = {},
                      .usually = "it is meant for two or more choices, as in Mixtral",
                      .fix = "leave it off: with a constant gate the router gets no gradient and never learns; "
                             "--constant-gate allows it"});
  }
}

void check_memory(const RunConfig& config) {
  const double needed = needed_bytes(config);
  const double available = available_bytes(config);
  if (available == 0 || needed <= available) return;
  throw InputError(
      {.what = fmt::format("this run needs about {:.1f} GB, and {:.1f} GB are free", needed / 1e9, available / 1e9),
       .where = {},
       .usually = "--tokens, --hidden or --experts has a zero too many",
       .fix = "make one of them smaller, or close other programs"});
}

}  // namespace

double needed_bytes(const RunConfig& config) {
  const auto shards = shard_sizes(config);
  const auto tokens = std::accumulate(shards.begin(), shards.end(), std::int64_t{0});
  const MemoryShape single{.dim = config.model.dim,
                           .hidden = config.model.hidden,
                           .experts = config.model.experts,
                           .top_k = config.model.top_k,
                           .ep = 1,
                           .tokens = tokens,
                           .value_bytes = config.float64 ? 8 : 4,
                           .layers = config.model.layers,
                           .gated = config.model.expert == ExpertKind::swiglu};
  const auto memory = rank_memory(single);
  const auto states = static_cast<double>(memory.parameters + memory.gradients + memory.optimizer);
  // Every mode keeps its state; one at a time computes. A batch is drawn in float64 beside its teachers' hidden rows.
  const double batch = static_cast<double>(tokens) * 8.0 * static_cast<double>(4 * config.model.dim + 128);
  return states * (config.layout.ranks + 2) + 2 * static_cast<double>(memory.activations) + batch;
}

void check_config(const RunConfig& config) {
  check_model(config.model);
  for (const auto mode : {Mode::ep, Mode::dp, Mode::single}) static_cast<void>(layout_of(config, mode));
  static_cast<void>(shards_of(0, config.layout.ranks, shard_sizes(config)));
  check_memory(config);
}

void settle_device(RunConfig& config, bool transport_chosen) {
  const bool nccl = config.transport == comm::Transport::nccl;
  if (nccl) config.device = DeviceKind::cuda;  // it moves no other memory
  const auto choice = choose_device(config.device, nccl ? "--transport nccl" : "--device cuda");
  if (!choice.note.empty()) fmt::print(stderr, "{}\n", choice.note);
  config.device = choice.kind;
  if (config.device == DeviceKind::cpu || transport_chosen || config.transport != comm::Transport::threads) return;
  if (config.layout.ranks <= gpu::count()) {
    config.transport = comm::Transport::nccl;
  } else {
    fmt::print(stderr,
               "--device cuda: {} ranks share {} GPU{}, so this is a simulation: they exchange through host memory\n",
               config.layout.ranks, gpu::count(), gpu::count() == 1 ? "" : "s");
  }
}

}  // namespace duet::cli
